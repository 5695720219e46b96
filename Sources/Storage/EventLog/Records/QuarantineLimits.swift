/// How much a quarantine holds before it says `.full`.
package struct QuarantineLimits: Hashable, Sendable {
    /// Payloads; one takes 12 to 20 KB.
    package var rows = 100_000
    /// Bytes of all payloads together.
    package var bytes = 1 << 30
    /// Of `rows`, those that may be of strangers (`QuarantinedPayload.strangersReasons`).
    package var strangersRows = 5_000
    /// Of `bytes`, the same.
    package var strangersBytes = 64 << 20

    package init() {}

    /// - Throws: `.full` when there is no room for `payload` beside what is kept.
    package func check(_ payload: QuarantinedPayload, beside usage: QuarantineUsage) throws(StoreError) {
        guard usage.rows < self.rows, usage.bytes + payload.raw.count <= self.bytes else {
            throw StoreError(
                .full, "the quarantine holds \(usage.rows) payloads of \(usage.bytes) bytes, as much as it may")
        }
        guard QuarantinedPayload.strangersReasons.contains(payload.reason) else { return }
        guard usage.strangersRows < self.strangersRows,
            usage.strangersBytes + payload.raw.count <= self.strangersBytes
        else {
            throw StoreError(
                .full,
                "the quarantine holds \(usage.strangersRows) payloads of apps that are not configured, as much as it may"
            )
        }
    }
}

/// What a quarantine holds.
package struct QuarantineUsage: Hashable, Sendable {
    package private(set) var rows: Int
    package private(set) var bytes: Int
    package private(set) var strangersRows: Int
    package private(set) var strangersBytes: Int

    package init(rows: Int = 0, bytes: Int = 0, strangersRows: Int = 0, strangersBytes: Int = 0) {
        self.rows = rows
        self.bytes = bytes
        self.strangersRows = strangersRows
        self.strangersBytes = strangersBytes
    }

    /// Payloads that were set aside for one reason.
    /// - Parameter rows: negative for those that are gone, as `bytes` is then.
    package mutating func add(rows: Int = 1, bytes: Int, reason: String) {
        self.rows += rows
        self.bytes += bytes
        guard QuarantinedPayload.strangersReasons.contains(reason) else { return }
        self.strangersRows += rows
        self.strangersBytes += bytes
    }
}
