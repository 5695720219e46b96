import AppStore
import Customers
import EventLog
import Queries
package import ServiceContract
import Subscriptions

/// What a device has when an app is launched, in one call.
extension SubscriptionService {
    /// Verifies and records all of it, links it to the customer by the app's policy, and says what the customer is entitled to by then;
    /// durable when it returns. What cannot be taken spoils nothing else. What is another customer's stays so, unless the user asks to
    /// restore and the policy lets it move.
    /// - Throws: `.invalidRequest` for more than `Launch.limit` items; `.customerDeleted`; `.olderNodes`; retryable codes, after which
    ///   part of it may be recorded.
    package func launch(_ launch: Launch) async throws(ServiceError) -> LaunchAnswer {
        guard launch.transactions.count + launch.renewalInfos.count <= Launch.limit else {
            throw ServiceError(
                .invalidRequest, "a launch takes \(Launch.limit) signed transactions and renewal infos at most")
        }
        try await self.require(.launch)
        try self.refuseDeleted(launch.customer)
        var appTransaction: [LaunchAnswer.Item] = []
        if let jws = launch.appTransaction {
            // First: what carries no token leads to the customer by it.
            appTransaction = [
                LaunchAnswer.Item(.appTransaction, try await self.register(appTransaction: jws, of: launch))
            ]
        }
        let pairs = LaunchPairs(launch)
        let recorded = try await ServiceError.translating { try await self.record(launch, pairs) }
        var renewalInfos: [LaunchAnswer.Item] = []
        for (place, jws) in launch.renewalInfos.enumerated() {
            let paired = pairs.transaction(of: place).flatMap { recorded[$0].renewalInfo }
            if let paired {
                renewalInfos.append(paired)
            } else {
                renewalInfos.append(try await self.record(renewalInfo: jws, recorded, launch))
            }
        }
        let view = try await self.customer(launch.customer, in: launch.environment, atLeast: nil)
        return LaunchAnswer(
            entitlements: view.answer, items: recorded.map(\.transaction) + renewalInfos + appTransaction)
    }

    private typealias Recorded = (transaction: LaunchAnswer.Item, renewalInfo: LaunchAnswer.Item?)

    /// So many of one launch are verified at a time: others wait for a place too.
    private static let width = 8

    /// One for each transaction, in their order.
    private func record(_ launch: Launch, _ pairs: LaunchPairs) async throws -> [Recorded] {
        try await withThrowingTaskGroup(of: (Int, Recorded).self) { group in
            var recorded: [Int: Recorded] = [:]
            for place in launch.transactions.indices {
                if place >= Self.width, let (done, one) = try await group.next() { recorded[done] = one }
                group.addTask { (place, try await self.record(launch, pairs, place)) }
            }
            for try await (place, one) in group { recorded[place] = one }
            return launch.transactions.indices.compactMap { recorded[$0] }
        }
    }

    private func record(
        _ launch: Launch, _ pairs: LaunchPairs, _ place: Int
    ) async throws(ServiceError) -> Recorded {
        let (transaction, renewalInfo) = (launch.transactions[place], pairs.renewalInfo(of: place))
        var item = try await self.record(transaction, renewalInfo, launch)
        guard renewalInfo != nil else { return (item, nil) }
        let beside = LaunchAnswer.Item(.renewalInfo, item.outcome, of: item.stream)
        if case .refused = item.outcome {
            // Which of the two it was, the transaction alone shows.
            item = try await self.record(transaction, nil, launch)
            if case .refused = item.outcome { return (item, nil) }
        }
        return (item, beside)
    }

    /// Of one that went with a transaction that was refused, or with none: with another one of its stream.
    private func record(
        renewalInfo: [UInt8], _ recorded: [Recorded], _ launch: Launch
    ) async throws(ServiceError) -> LaunchAnswer.Item {
        let id = TransactionReader.claimedID(in: renewalInfo)
        guard
            let place = recorded.firstIndex(where: { $0.transaction.stream != nil && $0.transaction.stream?.id == id })
        else { return LaunchAnswer.Item(.renewalInfo, .refused(.transactionElsewhere)) }
        var item = try await self.record(launch.transactions[place], renewalInfo, launch)
        item.kind = .renewalInfo
        return item
    }

    private func record(
        _ transaction: [UInt8], _ renewalInfo: [UInt8]?, _ launch: Launch
    ) async throws(ServiceError) -> LaunchAnswer.Item {
        let link = LinkRequest(
            launch.customer, origin: launch.restores ? .restore : .launch, actor: launch.actor)
        var key: StreamKey?
        let outcome = try await self.outcome { () async throws(ServiceError) in
            let verified = try await self.verify(
                signedTransaction: transaction, signedRenewalInfo: renewalInfo, link: link)
            key = verified.key
            try await self.record(verified, link)
        }
        if case .refused = outcome { key = nil }
        return LaunchAnswer.Item(.transaction, outcome, of: key)
    }

    /// Registers it for the customer if no customer has it.
    private func register(
        appTransaction jws: [UInt8], of launch: Launch
    ) async throws(ServiceError) -> LaunchAnswer.Item.Outcome {
        var namesAccount = true
        let outcome = try await self.outcome { () async throws(ServiceError) in
            let id = try await self.verify(appTransaction: jws)
            guard let identifier = id.flatMap({ RegistrableIdentifier(.account, $0) }) else {
                namesAccount = false
                return
            }
            try await self.registerIfFree(identifier, for: launch.customer, actor: launch.actor)
        }
        return namesAccount ? outcome : .ignored
    }

    /// What became of one item; what may succeed later is thrown.
    private func outcome(
        _ body: () async throws(ServiceError) -> Void
    ) async throws(ServiceError) -> LaunchAnswer.Item.Outcome {
        do throws(ServiceError) {
            try await body()
            return .recorded
        } catch {
            switch error.code {
            case .linkedElsewhere, .tooManySharers, .tokenElsewhere: return .elsewhere
            // Of its stream, or of somebody else.
            case .parked, .customerDeleted: return .refused(error.code)
            default:
                guard !error.retryable else { throw error }
                return .refused(error.code)
            }
        }
    }
}

/// Which renewal info goes with which transaction: with one of the same stream, the last one first.
private struct LaunchPairs: Sendable {
    private var infoOfTransaction: [Int: [UInt8]] = [:]
    private var transactionOfInfo: [Int: Int] = [:]

    init(_ launch: Launch) {
        var free: [String: [Int]] = [:]
        for (place, jws) in launch.transactions.enumerated() {
            if let id = TransactionReader.claimedID(in: jws) { free[id, default: []].append(place) }
        }
        for (place, jws) in launch.renewalInfos.enumerated() {
            guard let id = TransactionReader.claimedID(in: jws), let transaction = free[id]?.popLast() else { continue }
            self.infoOfTransaction[transaction] = jws
            self.transactionOfInfo[place] = transaction
        }
    }

    func renewalInfo(of transaction: Int) -> [UInt8]? { self.infoOfTransaction[transaction] }
    func transaction(of renewalInfo: Int) -> Int? { self.transactionOfInfo[renewalInfo] }
}
