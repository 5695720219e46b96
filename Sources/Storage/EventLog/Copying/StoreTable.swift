/// A table as it travels from one engine to another: the columns that every engine has under the same names. Columns that
/// are an engine's own, such as SQLite's number of an event, stay behind.
package struct StoreTable: Hashable, Sendable {
    package let name: String
    package let numbers: [String]
    package let texts: [String]
    package let blobs: [String]
    /// Its rows are counted in a column `id`, and go on being counted where the copied ones end.
    package let isNumbered: Bool

    private init(
        _ name: String, numbers: [String] = [], texts: [String] = [], blobs: [String] = [], isNumbered: Bool = false
    ) {
        self.name = name
        self.numbers = (isNumbered ? ["id"] : []) + numbers
        self.texts = texts
        self.blobs = blobs
        self.isNumbered = isNumbered
    }

    /// In the order in which a page holds them.
    package var columns: [String] { self.numbers + self.texts + self.blobs }

    /// All that a store consists of, beside its one row of `store_meta`.
    package static let all = [
        Self(
            "node", numbers: ["incarnation", "live_epoch", "beat", "lease_ms"],
            texts: ["node_id", "endpoint", "state"], blobs: ["curve_key"]),
        Self("shard", numbers: ["shard_id", "epoch", "owner_incarnation", "head_seq"], texts: ["owner_node"]),
        Self("shard_epoch", numbers: ["shard_id", "epoch", "incarnation", "first_seq"]),
        Self("jws_header", blobs: ["hash", "segment"], isNumbered: true),
        Self(
            "stream", numbers: ["version", "seq", "next_due", "shard_id"], blobs: ["key", "state", "entitlement"],
            isNumbered: true),
        Self(
            "event", numbers: ["shard_id", "seq", "epoch", "stream_id", "version", "at"], texts: ["kind"],
            blobs: ["dedup_key", "body", "entitlement"]),
        Self("evidence", numbers: ["shard_id", "seq"], texts: ["headers"], blobs: ["body", "erased"]),
        Self("lookup", numbers: ["kind", "stream_id"], blobs: ["value"]),
        Self("identifier", numbers: ["kind", "stream_id"], blobs: ["hash"]),
        Self("inbox", numbers: ["shard_id", "received_at", "attempts", "parked_at"], blobs: ["dedup_key", "raw"]),
        Self(
            "quarantine", numbers: ["received_at"], texts: ["reason", "detail"], blobs: ["digest", "raw"],
            isNumbered: true),
        Self("revision", numbers: ["stream_id", "fetched_at"], texts: ["revision"]),
        Self("cursor", numbers: ["shard_id"], texts: ["consumer"], blobs: ["position"]),
        Self("delivery", numbers: ["shard_id", "seq", "attempts", "next_at"], texts: ["endpoint"]),
        Self("bookmark", blobs: ["name", "value"]),
    ]
}
