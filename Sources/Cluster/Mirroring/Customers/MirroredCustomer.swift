import Customers
import Entitlements
import EventLog
import Ownership
import Subscriptions

/// All answers about one customer, for any moment, as long as nothing that they rest on changes.
final class MirroredCustomer: Sendable {
    /// An answer about one name, from a moment on.
    private struct Step: Equatable {
        var from = Moment.distantPast.milliseconds
        /// `Int64.max` without end.
        var until = Int64.max
        /// `Int.min` for none.
        var rank = Int.min
        /// Of the customer's texts, like the name; -1 for none.
        var product: Int16 = -1
        var name: Int16 = -1
        /// A place in `MirroredAnswer.State.allCases`; -1 where nothing is known.
        var state: Int8 = -1
        var entitled = false
        var isSandbox = false
        var incomplete = false
    }

    private let rules: MirroredRules
    let isMoved: Bool
    private let shards: Set<ShardID>
    private let identifiers: [(kind: IdentifierHash.Kind, hash: IdentifierHash)]
    /// Of one of whom too much is known to work out all answers, they are worked out when they are asked for: about Production, and
    /// about Sandbox.
    private let holdings: [CustomerHoldings]
    private let texts: [String]
    /// Of one name after the other, those about Production first, those about Sandbox only where there is something; those about
    /// none come before those about the first.
    private let steps: [Step]
    /// Where the steps of each begin, and the end of all.
    private let starts: [Int32]

    /// Each stream has some moments at which all that is known is looked at.
    private static let mostWorkedOut = 64

    init(_ found: CustomerBelongings, _ rules: MirroredRules) {
        let environments: [AppStoreEnvironment] = [.production, .sandbox]
        let holdings = environments.map { environment in
            CustomerHoldings(
                streams: found.streams, grants: found.grants, in: environment, catalog: rules.catalog,
                rules: rules.derivation)
        }
        let isMuch = found.streams.count > Self.mostWorkedOut
        let hasSandbox =
            found.streams.contains { $0.key.environment == .sandbox }
            || found.grants.contains { $0.environment == .sandbox }
        var (texts, steps, starts): ([String], [Step], [Int32]) = ([], [], [0])
        for holdings in isMuch ? [] : holdings.prefix(hasSandbox ? 2 : 1) {
            for name in [nil] + rules.catalog.entitlements.map(Optional.some) {
                steps += Self.steps(holdings, name, &texts)
                starts.append(Int32(steps.count))
            }
        }
        self.rules = rules
        self.isMoved = found.isMoved
        self.shards = found.shards
        self.identifiers = found.identifiers
        self.holdings = isMuch ? holdings : []
        (self.texts, self.steps, self.starts) = (texts, steps, starts)
    }

    private static func steps(_ holdings: CustomerHoldings, _ name: String?, _ texts: inout [String]) -> [Step] {
        var steps: [Step] = []
        for moment in [Moment.distantPast] + holdings.boundaries {
            var step = self.step(holdings.answer(for: name, at: moment), &texts)
            step.from = steps.last?.from ?? step.from
            guard steps.last != step else { continue }
            step.from = moment.milliseconds
            steps.append(step)
        }
        return steps
    }

    private static func step(_ answer: CustomerAnswer, _ texts: inout [String]) -> Step {
        func place(_ text: String?) -> Int16 {
            guard let text else { return -1 }
            if let place = texts.firstIndex(of: text) { return Int16(place) }
            texts.append(text)
            return Int16(texts.count - 1)
        }
        let state = answer.state.flatMap { MirroredAnswer.State($0) }.flatMap(MirroredAnswer.State.allCases.firstIndex)
        return Step(
            until: answer.validUntil?.milliseconds ?? .max, rank: answer.rank ?? .min,
            product: place(answer.productID), name: place(answer.entitlement), state: Int8(state ?? -1),
            entitled: answer.entitled, isSandbox: answer.environment == .sandbox, incomplete: answer.incomplete)
    }

    /// Shards in which what a yes rests on is.
    func shards(_ map: ShardHash) -> Set<ShardID> {
        self.shards.union(self.identifiers.map { map.shard(of: StreamKey($0.kind, $0.hash).id) })
    }

    // MARK: Answers

    /// - Parameter name: of the catalog; nil for anything.
    /// - Returns: nil for a name that the catalog does not have.
    func isEntitled(to name: String?, in environment: AppStoreEnvironment, at moment: Moment) -> Bool? {
        if !self.holdings.isEmpty { return self.answer(for: name, in: environment, at: moment)?.entitled }
        return self.place(of: name, environment).map { self.step($0, at: moment.milliseconds).entitled }
    }

    /// The same with all that is known of it.
    func answer(for name: String?, in environment: AppStoreEnvironment, at moment: Moment) -> MirroredAnswer? {
        guard let place = self.place(of: name, environment) else { return nil }
        guard self.holdings.isEmpty else {
            let holdings = self.holdings[environment == .sandbox ? 1 : 0]
            var texts: [String] = []
            let step = Self.step(holdings.answer(for: name, at: moment), &texts)
            return self.answer(step, texts)
        }
        var answer = self.answer(self.step(place, at: moment.milliseconds), self.texts)
        // Where nothing is known there may be no step that names it.
        if answer.state == nil, !answer.entitled { answer.entitlement = name }
        return answer
    }

    /// The names of the catalog.
    var entitlements: [String] { self.rules.catalog.entitlements }

    @inline(__always)
    private func place(of name: String?, _ environment: AppStoreEnvironment) -> Int? {
        var place = 0
        if let name {
            guard let found = self.rules.places[name] else { return nil }
            place = found + 1
        }
        return environment == .sandbox ? place + self.rules.places.count + 1 : place
    }

    @inline(__always)
    private func step(_ place: Int, at milliseconds: Int64) -> Step {
        guard place + 1 < self.starts.count else { return Step() }
        let start = Int(self.starts[place])
        var last = Int(self.starts[place + 1]) - 1
        while last > start, milliseconds < self.steps[last].from { last -= 1 }
        return self.steps[last]
    }

    private func answer(_ step: Step, _ texts: [String]) -> MirroredAnswer {
        MirroredAnswer(
            entitled: step.entitled, entitlement: step.name < 0 ? nil : texts[Int(step.name)],
            state: step.state < 0 ? nil : MirroredAnswer.State.allCases[Int(step.state)],
            productID: step.product < 0 ? nil : texts[Int(step.product)],
            validUntil: step.until == .max ? nil : Moment(milliseconds: step.until),
            rank: step.rank == .min ? nil : step.rank,
            environment: step.entitled ? (step.isSandbox ? .sandbox : .production) : nil,
            isIncomplete: step.incomplete, isMoved: self.isMoved, isStale: false)
    }
}
