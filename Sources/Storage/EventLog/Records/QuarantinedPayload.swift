/// What is authentic but not for this configuration (domain: quarantine).
package struct QuarantinedPayload: Hashable, Sendable {
    /// Grows with each row; 0 before it is stored.
    package var id: Int64
    /// SHA-256 of what is signed: `raw` without its signature, of which anybody makes another that holds as well. The same
    /// payload is kept once.
    package var digest: [UInt8]
    /// A word for programs, e.g. `unknownApp`.
    package var reason: String
    /// A sentence for people; never the payload.
    package var detail: String
    /// Milliseconds since 1970.
    package var receivedAt: Int64
    /// The signedPayload as it came.
    package var raw: [UInt8]

    package init(id: Int64 = 0, digest: [UInt8], reason: String, detail: String, receivedAt: Int64, raw: [UInt8]) {
        self.id = id
        self.digest = digest
        self.reason = reason
        self.detail = detail
        self.receivedAt = receivedAt
        self.raw = raw
    }

    /// Why payloads are set aside that strangers can have: Apple signs what they want for an app of their own, and what
    /// names no app.
    package static let strangersReasons: Set<String> = ["unknownApp", "wrongKind"]
}
