import Customers
import Entitlements
import EventLog
package import Subscriptions

/// All answers about one customer, for any moment, as long as nothing that they rest on changes.
final class MirroredCustomer: Sendable {
    /// An answer about one name, from a moment on.
    private struct Step: Equatable {
        var from: Int64
        /// `Int64.max` without end.
        var until: Int64
        var rank: Int32
        /// Of the customer's products; -1 for none.
        var product: Int16
        /// The place of the name in the catalog; -1 for none.
        var name: Int16
        /// A place in `CustomerState.allCases`; -1 where nothing is known.
        var state: Int8
        var entitled: Bool
        var isSandbox: Bool
        var incomplete: Bool
    }

    private let rules: MirroredRules
    let isMoved: Bool
    /// Shards in which what a yes rests on is.
    let shards: [ShardID]
    private let products: [String]
    /// Of one name after the other, those about Production first; those about none come before those about the first.
    private let steps: [Step]
    /// Where the steps of each begin, and the end of all.
    private let starts: [Int32]

    private static let environments: [AppStoreEnvironment] = [.production, .sandbox]

    init(_ found: CustomerRows.Holdings, _ rules: MirroredRules) {
        self.rules = rules
        self.isMoved = found.isMoved
        self.shards = Array(found.shards)
        var products: [String] = []
        var (steps, starts): ([Step], [Int32]) = ([], [0])
        for environment in Self.environments {
            let holdings = CustomerHoldings(
                streams: found.streams, grants: found.grants, in: environment, catalog: rules.catalog,
                rules: rules.derivation)
            let moments = [Moment.distantPast] + holdings.boundaries
            for name in [nil] + rules.catalog.entitlements.map(Optional.some) {
                var last: Step?
                for moment in moments {
                    let step = Self.step(holdings.answer(for: name, at: moment), rules, &products)
                    guard last != step else { continue }
                    last = step
                    var placed = step
                    placed.from = moment.milliseconds
                    steps.append(placed)
                }
                starts.append(Int32(steps.count))
            }
        }
        (self.products, self.steps, self.starts) = (products, steps, starts)
    }

    private static func step(
        _ answer: CustomerAnswer, _ rules: MirroredRules, _ products: inout [String]
    ) -> Step {
        var product = -1
        if let id = answer.productID {
            product = products.firstIndex(of: id) ?? products.count
            if product == products.count { products.append(id) }
        }
        let state = answer.state.flatMap { MirroredAnswer.State($0) }.flatMap(MirroredAnswer.State.allCases.firstIndex)
        return Step(
            from: 0, until: answer.validUntil?.milliseconds ?? .max, rank: Int32(clamping: answer.rank ?? 0),
            product: Int16(clamping: product),
            name: Int16(clamping: answer.entitlement.flatMap { rules.places[$0] } ?? -1),
            state: Int8(state ?? -1), entitled: answer.entitled, isSandbox: answer.environment == .sandbox,
            incomplete: answer.incomplete)
    }

    /// - Parameter name: of the catalog; nil for anything.
    /// - Returns: nil for a name that the catalog does not have.
    @inline(__always)
    private func step(for name: String?, in environment: AppStoreEnvironment, at milliseconds: Int64) -> Step? {
        var place = 0
        if let name {
            guard let found = self.rules.places[name] else { return nil }
            place = found + 1
        }
        if environment == .sandbox { place += self.rules.places.count + 1 }
        let start = Int(self.starts[place])
        var last = Int(self.starts[place + 1]) - 1
        while last > start, milliseconds < self.steps[last].from { last -= 1 }
        return self.steps[last]
    }

    /// The same as `answer` says; nil for a name that the catalog does not have.
    func isEntitled(to name: String?, in environment: AppStoreEnvironment, at milliseconds: Int64) -> Bool? {
        self.step(for: name, in: environment, at: milliseconds)?.entitled
    }

    func answer(for name: String?, in environment: AppStoreEnvironment, at milliseconds: Int64) -> MirroredAnswer? {
        guard let step = self.step(for: name, in: environment, at: milliseconds) else { return nil }
        return MirroredAnswer(
            entitled: step.entitled,
            entitlement: step.name < 0 ? nil : self.rules.catalog.entitlements[Int(step.name)],
            state: step.state < 0 ? nil : MirroredAnswer.State.allCases[Int(step.state)],
            productID: step.product < 0 ? nil : self.products[Int(step.product)],
            validUntil: step.entitled && step.until != .max ? Moment(milliseconds: step.until) : nil,
            rank: step.entitled ? Int(step.rank) : nil,
            environment: step.entitled ? (step.isSandbox ? .sandbox : .production) : nil,
            isIncomplete: step.incomplete, isMoved: self.isMoved, isStale: false)
    }

    /// The names of the catalog.
    var entitlements: [String] { self.rules.catalog.entitlements }
}

/// The answer for a customer and a name at a moment.
package struct MirroredAnswer: Hashable, Sendable {
    /// In the words of the HTTP API.
    package enum State: String, CaseIterable, Sendable {
        case subscribed, grace, retry, expired, revoked, owned
        /// Given by a grant.
        case granted

        init?(_ state: CustomerAnswer.State) { self.init(rawValue: state.name) }
    }

    package var entitled: Bool
    /// The name asked about; where none was, the one of the highest rank that the best of what entitles grants.
    package var entitlement: String?
    package var state: State?
    package var productID: String?
    package var validUntil: Moment?
    package var rank: Int?
    /// Of what entitles.
    package var environment: AppStoreEnvironment?
    /// Part of what it rests on is not known yet.
    package var isIncomplete: Bool
    /// Everything of the customer is another customer's.
    package var isMoved: Bool
    /// What it rests on has not been heard of for longer than answers may be old.
    package var isStale: Bool

    package init(
        entitled: Bool, entitlement: String?, state: State?, productID: String?, validUntil: Moment?, rank: Int?,
        environment: AppStoreEnvironment?, isIncomplete: Bool, isMoved: Bool, isStale: Bool
    ) {
        self.entitled = entitled
        self.entitlement = entitlement
        self.state = state
        self.productID = productID
        self.validUntil = validUntil
        self.rank = rank
        self.environment = environment
        self.isIncomplete = isIncomplete
        self.isMoved = isMoved
        self.isStale = isStale
    }
}
