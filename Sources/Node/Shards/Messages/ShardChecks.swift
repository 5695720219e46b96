import FoundationEssentials
import ServiceContract
import Subscriptions
package import WireProtocol

/// Questions about streams of one shard, on their way to its owner.
package struct ShardChecks: Sendable {
    let requests: [CheckRequest]

    init(_ requests: [CheckRequest]) { self.requests = requests }
}

extension ShardChecks: ProtoRepresentable {
    package init(_ proto: ProtoShardChecks) throws(WireError) {
        var requests: [CheckRequest] = []
        for check in proto.checks { requests.append(try CheckRequest(check)) }
        self.init(requests)
    }

    package func proto() -> ProtoShardChecks {
        var proto = ProtoShardChecks()
        proto.checks = self.requests.map { $0.proto() }
        return proto
    }
}

extension CheckRequest {
    fileprivate init(_ proto: ProtoShardCheck) throws(WireError) {
        guard let kind = UInt8(exactly: proto.kind).flatMap(StreamKind.init(rawValue:)) else {
            throw WireError(.unknownWord, "a kind of stream that this version does not know")
        }
        self.init(
            kind, id: Array(proto.id)[...], environment: AppStoreEnvironment(rawValue: proto.environment),
            bundleID: proto.bundleID.isEmpty ? nil : BundleID(rawValue: proto.bundleID),
            entitlement: proto.entitlement.isEmpty ? nil : proto.entitlement)
    }

    fileprivate func proto() -> ProtoShardCheck {
        var proto = ProtoShardCheck()
        proto.kind = UInt32(self.kind.rawValue)
        proto.id = Data(self.id)
        proto.environment = self.environment.rawValue
        proto.bundleID = self.bundleID?.rawValue ?? ""
        proto.entitlement = self.entitlement ?? ""
        return proto
    }
}
