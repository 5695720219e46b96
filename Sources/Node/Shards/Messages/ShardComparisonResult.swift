import FoundationEssentials
package import ServiceContract
package import WireProtocol

/// What the owner of a shard says to a `ShardComparison`.
package struct ShardComparisonResult: Hashable, Sendable {
    /// The key of the stream up to which it came; nil when none is left.
    package var last: [UInt8]?
    package var progress = ReconciliationProgress()

    package init(last: [UInt8]? = nil, progress: ReconciliationProgress = ReconciliationProgress()) {
        self.last = last
        self.progress = progress
    }
}

extension ShardComparisonResult: ProtoRepresentable {
    package init(_ proto: ProtoShardComparisonResult) {
        if !proto.last.isEmpty { self.last = Array(proto.last) }
        self.progress.calls = Int(proto.calls)
        self.progress.fetched = Int(proto.fetched)
        self.progress.recorded = Int(proto.recorded)
        self.progress.duplicates = Int(proto.duplicates)
        self.progress.quarantined = Int(proto.quarantined)
        self.progress.refused = Int(proto.refused)
        self.progress.checked = Int(proto.checked)
        self.progress.repaired = Int(proto.repaired)
    }

    package func proto() -> ProtoShardComparisonResult {
        var proto = ProtoShardComparisonResult()
        proto.last = Data(self.last ?? [])
        proto.calls = Int64(self.progress.calls)
        proto.fetched = Int64(self.progress.fetched)
        proto.recorded = Int64(self.progress.recorded)
        proto.duplicates = Int64(self.progress.duplicates)
        proto.quarantined = Int64(self.progress.quarantined)
        proto.refused = Int64(self.progress.refused)
        proto.checked = Int64(self.progress.checked)
        proto.repaired = Int64(self.progress.repaired)
        return proto
    }
}
