import Entitlements
import EventLog
package import ServiceContract
import Subscriptions
package import WireProtocol

/// What the owner of a shard says to `ShardChecks`.
package struct ShardVerdicts: Sendable {
    /// Taken before the rows were read: the verdicts are not older.
    package let head: ShardHead
    /// One for each question, in order.
    package let results: [CheckResult]

    package init(head: ShardHead, results: [CheckResult]) {
        self.head = head
        self.results = results
    }
}

extension ShardVerdicts: ProtoRepresentable {
    package init(_ proto: ProtoShardVerdicts) {
        self.init(head: ShardHead(proto.head), results: proto.verdicts.map { CheckResult($0) })
    }

    package func proto() -> ProtoShardVerdicts {
        var proto = ProtoShardVerdicts()
        proto.head = self.head.proto()
        proto.verdicts = self.results.map { $0.proto() }
        return proto
    }
}

extension CheckResult {
    /// What this version cannot read is refused alone: the other items have to get their answers.
    fileprivate init(_ proto: ProtoShardVerdict) {
        // Older nodes give this refusal as a reason.
        let isOldRefusal = proto.reason == ServiceError.Code.unknownEntitlement.rawValue
        let refusal = isOldRefusal ? proto.reason : proto.refusal
        guard refusal.isEmpty else {
            self = .refused(ServiceError.Code(rawValue: refusal) ?? .invalidRequest)
            return
        }
        guard proto.state.isEmpty || LifecycleState(rawValue: proto.state) != nil,
            proto.reason.isEmpty || CheckVerdict.Reason(rawValue: proto.reason) != nil
        else {
            self = .refused(.invalidRequest)
            return
        }
        let state = LifecycleState(rawValue: proto.state)
        let code = CohortCode(tenths: Int(proto.code))
        self = .verdict(
            CheckVerdict(
                entitled: proto.entitled, state: state, code: code,
                validUntil: proto.hasValidUntil ? Moment(milliseconds: proto.validUntil) : nil,
                productID: proto.hasProductID ? proto.productID : nil,
                version: StreamVersion(rawValue: proto.version),
                reason: CheckVerdict.Reason(rawValue: proto.reason) ?? CheckVerdict.Reason(state, code),
                bundleID: proto.hasBundleID ? BundleID(rawValue: proto.bundleID) : nil))
    }

    fileprivate func proto() -> ProtoShardVerdict {
        var proto = ProtoShardVerdict()
        switch self {
        case .refused(let code): proto.refusal = code.rawValue
        case .verdict(let verdict):
            proto.entitled = verdict.entitled
            proto.state = verdict.state?.rawValue ?? ""
            proto.code = Int32(verdict.code.tenths)
            if let validUntil = verdict.validUntil { proto.validUntil = validUntil.milliseconds }
            if let productID = verdict.productID { proto.productID = productID }
            proto.version = verdict.version.rawValue
            // State and code say as much, and a node of the version before refuses a word that it does not know.
            proto.reason = verdict.reason.flatMap { $0 == .consumable ? nil : $0.rawValue } ?? ""
            if let bundleID = verdict.bundleID { proto.bundleID = bundleID.rawValue }
        }
        return proto
    }
}
