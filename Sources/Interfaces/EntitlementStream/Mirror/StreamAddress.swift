package import Mirroring
import ZeroMQ

/// Where a node's stream is, as `StreamDirectory` keeps it: the text `ENDPOINT PUBLICKEY`, the key in Z85 (ZeroMQ RFC
/// 32). Words that follow are passed over.
package struct StreamAddress: Hashable, Sendable {
    package var source: StreamSource

    package init(_ source: StreamSource) { self.source = source }

    /// nil for bytes that are none.
    package init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, let key = Z85.bytes(of: String(words[1])), key.count == 32 else { return nil }
        self.source = StreamSource(endpoint: String(words[0]), serverKey: key)
    }

    package var bytes: [UInt8] {
        Array("\(self.source.endpoint) \(Z85.text(of: self.source.serverKey) ?? "")".utf8)
    }
}
