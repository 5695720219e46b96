import AppStore
import AppStoreSimulator
import ServiceContract
import SubscriptionService
import Subscriptions

/// Holds what a service says against the truth while customers live on. What differs because a notification has not
/// arrived is asked about again, for the same moment, until it is equal.
struct TruthWatch {
    private enum Outcome {
        case equal
        /// The state is the one that the moment has in hindsight.
        case paidForLater
        /// A notification that decides it is not in the log, or the truth has just changed.
        case waiting
        /// All that decides it is in the log.
        case wrong(String)
    }

    /// What was different at a moment, by how often in a row it had no reason.
    private struct Look {
        let moment: Moment
        var open: [String: Int]
    }

    private let apple: SimulatedApple
    private let service: SubscriptionService
    private(set) var audit = LogAudit()
    private(set) var looks = 0
    private(set) var compared = 0
    /// Answers that are right in hindsight only.
    private(set) var paidForLater = 0
    private(set) var unexplained: [String] = []
    private var unfinished: [Look] = []

    /// What has happened may be told before what is to be sent about it has been noted: once is no proof.
    private static let proof = 3

    init(_ apple: SimulatedApple, _ service: SubscriptionService) {
        self.apple = apple
        self.service = service
    }

    /// How many answers are not yet as the truth has them.
    var waiting: Int { self.unfinished.reduce(0) { $0 + $1.open.count } }

    /// Asks about everything that was sold, as of the newest moment whose truth is final.
    mutating func look() async throws {
        try await self.audit.read(self.service)
        self.looks += 1
        var look = Look(moment: self.apple.simulator.truths.settled, open: [:])
        for id in self.apple.simulator.truths.ids(first: .max) { try await self.compare(id, in: &look) }
        if !look.open.isEmpty { self.unfinished.append(look) }
    }

    /// Asks again what was different.
    mutating func lookAgain() async throws {
        try await self.audit.read(self.service)
        for index in self.unfinished.indices {
            var look = self.unfinished[index]
            for id in look.open.keys { try await self.compare(id, in: &look) }
            self.unfinished[index] = look
        }
        self.unfinished.removeAll { $0.open.isEmpty }
    }

    /// What is still different, and how its notifications fared.
    func describeWaiting(first count: Int) -> String {
        let open = self.unfinished.flatMap { look in look.open.keys.map { (look.moment, $0) } }
        return open.prefix(count).map { moment, id in
            let entries = self.apple.simulator.deliveries.entries(about: id).map { entry in
                let isRecorded = self.audit.recorded.contains(entry.telling.uuid)
                return "\(entry.telling.type) of \(entry.telling.signedDate) \(entry.state), "
                    + "\(entry.failures.count) failures, \(isRecorded ? "recorded" : "not recorded")"
            }
            return "\(id) at \(moment): \(entries.joined(separator: "; "))"
        }.joined(separator: "\n")
    }

    private mutating func compare(_ id: String, in look: inout Look) async throws {
        self.compared += 1
        switch try await self.outcome(of: id, at: look.moment) {
        case .equal: look.open[id] = nil
        case .paidForLater:
            look.open[id] = nil
            self.paidForLater += 1
        case .waiting: look.open[id] = 0
        case .wrong(let what):
            look.open[id, default: 0] += 1
            if look.open[id] == Self.proof { self.unexplained.append("\(id) at \(look.moment): \(what)") }
        }
    }

    private func outcome(of id: String, at moment: Moment) async throws -> Outcome {
        let truths = self.apple.simulator.truths
        guard let truth = truths.truth(of: id), truth.standing(at: moment) != nil else { return .equal }
        let entries = self.apple.simulator.deliveries.entries(about: id)
        let kind: StreamKind = truth.autoRenew(at: .distantFuture) == nil ? .purchase : .subscription
        let stream = StreamReference(kind: kind, id: id, environment: self.apple.account.environment)
        let snapshot = try await self.snapshot(stream, at: moment)
        guard truths.truth(of: id) == truth else { return .waiting }
        let tellings = entries.map(\.telling)
        let differences = Answer(snapshot).differences(from: Answer(truth, at: moment))
        guard !differences.isEmpty else { return .equal }
        if Answer(snapshot) == Self.hindsight(of: truth, at: moment, tellings) { return .paidForLater }
        let missing = truth.deciding(at: moment, among: tellings)
            .filter { !self.audit.recorded.contains($0.uuid) }
        return missing.isEmpty ? .wrong(differences.map(\.description).joined(separator: ", ")) : .waiting
    }

    /// What is paid for within a grace period is paid for from the start of the period on, and the status that was told in
    /// between, which nobody has signed, counts no more: to who learns of the payment the moment was never one of grace.
    ///
    /// - Returns: nil unless `moment` was in grace, and the transaction that paid for it was first told after it.
    private static func hindsight(of truth: Truth, at moment: Moment, _ tellings: [Telling]) -> Answer? {
        var answer = Answer(truth, at: moment)
        let paid = tellings.first { $0.transactionID == answer.transactionID }
        guard answer.state == .grace, let paid, paid.signedDate > moment else { return nil }
        answer.state = .subscribed
        answer.gracePeriodExpiresDate = nil
        return answer
    }

    private func snapshot(_ stream: StreamReference, at moment: Moment) async throws -> SubscriptionSnapshot? {
        do throws(ServiceError) {
            return try await self.service.subscription(SubscriptionQuery(stream: stream, at: moment)).snapshot
        } catch {
            guard error.code == .unknownSubscription || error.code == .unknownPurchase else { throw error }
            return nil
        }
    }
}
