import Entitlements
import EventLog
public import Foundation
import Mirroring
import Ownership
import Subscriptions

extension PerennialClient {
    /// What is known of a subscription, or of a one-time purchase.
    /// - Parameters:
    ///   - originalTransactionID: as Apple's transactions have it.
    ///   - environment: of the App Store in which it was bought.
    ///   - bundleID: may be left out while the id is clear without it.
    ///   - moment: now unless given; a later one shows what will be true if nothing more is heard.
    /// - Throws: `.notReady` for what has not been copied yet, and `.ambiguous`.
    public func check(
        _ originalTransactionID: String, in environment: Environment = .production, bundleID: String? = nil,
        at moment: Date = Date()
    ) throws(PerennialClientError) -> Entitlement {
        guard let mirror = self.mirror.value else { throw Self.notReady }
        let time = Self.time(moment, mirror)
        let answer = Self.answer(originalTransactionID, environment, bundleID, time, mirror)
        let settled = mirror.settled(answer, of: originalTransactionID) {
            Self.answer(originalTransactionID, environment, bundleID, time, mirror)
        }
        return try Self.result(settled, originalTransactionID, mirror).get()
    }

    private static func answer(
        _ originalTransactionID: String, _ environment: Environment, _ bundleID: String?, _ time: MirrorTime,
        _ mirror: EntitlementMirror
    ) -> MirrorAnswer {
        var id = originalTransactionID
        func ask(_ kind: StreamKind) -> MirrorAnswer {
            let scope = Self.scope(environment, bundleID, kind, mirror)
            return id.withUTF8 { mirror.check(utf8: UnsafeRawBufferPointer($0), in: scope, at: time) }
        }
        let answer = ask(.subscription)
        return answer.outcome == .unknown ? ask(.purchase) : answer
    }

    private static func scope(
        _ environment: Environment, _ bundleID: String?, _ kind: StreamKind, _ mirror: EntitlementMirror
    ) -> MirrorScope {
        mirror.scope(
            AppStoreEnvironment(rawValue: environment.rawValue), bundleID.map(BundleID.init(rawValue:)), kind: kind)
    }

    private static func time(_ moment: Date, _ mirror: EntitlementMirror) -> MirrorTime {
        mirror.time(Moment(milliseconds: Int64((moment.timeIntervalSince1970 * 1_000).rounded(.down))), .now)
    }

    /// - Parameter answer: nil for what has not been copied yet.
    private static func result(
        _ answer: MirrorAnswer?, _ originalTransactionID: String, _ mirror: EntitlementMirror
    ) -> Result<Entitlement, PerennialClientError> {
        guard let answer else { return .failure(Self.notReady) }
        switch answer.outcome {
        case .ambiguous:
            return .failure(
                PerennialClientError(.ambiguous, "\(originalTransactionID) belongs to several apps: name one"))
        case .unknown, .found: return .success(Entitlement(answer, of: mirror))
        }
    }

    /// The same for several ids at a time, all of one moment: for many it is faster than one after the other.
    /// - Returns: for each id, in their order, what `check(_:in:bundleID:at:)` returns or throws.
    public func check(
        _ originalTransactionIDs: [String], in environment: Environment = .production, bundleID: String? = nil,
        at moment: Date = Date()
    ) -> [Result<Entitlement, PerennialClientError>] {
        guard let mirror = self.mirror.value else { return originalTransactionIDs.map { _ in .failure(Self.notReady) } }
        let scope = Self.scope(environment, bundleID, .subscription, mirror)
        let purchases = Self.scope(environment, bundleID, .purchase, mirror)
        let time = Self.time(moment, mirror)
        let ids = originalTransactionIDs.map { MirrorID($0) }
        var answers: [MirrorAnswer] = []
        mirror.check(ids.map { MirrorQuestion($0, in: scope) }, at: time, into: &answers)
        return originalTransactionIDs.indices.map { index in
            let id = originalTransactionIDs[index]
            var answer = answers[index]
            if answer.outcome == .unknown {
                answer = mirror.check(MirrorQuestion(ids[index], in: purchases), at: time)
            }
            let settled = mirror.settled(answer, of: id) { Self.answer(id, environment, bundleID, time, mirror) }
            return Self.result(settled, id, mirror)
        }
    }

    /// Whether access is to be given: `check(_:in:bundleID:at:)` in one word.
    /// - Throws: as it does.
    public func isEntitled(
        _ originalTransactionID: String, in environment: Environment = .production, bundleID: String? = nil
    ) throws(PerennialClientError) -> Bool {
        try self.check(originalTransactionID, in: environment, bundleID: bundleID).isEntitled
    }

    static var notReady: PerennialClientError {
        PerennialClientError(.notReady, "the subscriptions have not been copied yet")
    }
}

extension PerennialClient.Entitlement {
    init(_ answer: MirrorAnswer, of mirror: EntitlementMirror) {
        self.init(mirror.checkAnswer(of: answer), version: answer.version.rawValue, isStale: answer.isStale)
    }

    init(_ answer: CheckAnswer, version: Int64, isStale: Bool) {
        self.init(
            isEntitled: answer.entitled, state: answer.state.flatMap { State(rawValue: $0.rawValue) },
            productID: answer.productID,
            validUntil: answer.validUntil.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1_000) },
            version: version, isStale: isStale)
    }
}
