/// The evidence of one event as a store keeps it.
package struct EncodedEvidence: Hashable, Sendable {
    /// The distinct header segments, as the text they came as; `body` refers to them by their place here. A store keeps
    /// each one once, whatever number of rows share it.
    package var headers: [[UInt8]]
    package var body: [UInt8]

    package init(headers: [[UInt8]], body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}
