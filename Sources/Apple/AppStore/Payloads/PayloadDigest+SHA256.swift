import Crypto
import Foundation
import Subscriptions

extension PayloadDigest {
    init(sha256 digest: SHA256.Digest) { self = digest.withUnsafeBytes { PayloadDigest(rawBytes: $0) } }

    /// SHA-256 over digests in their order.
    init(combining digests: [PayloadDigest]) {
        var hash = SHA256()
        for digest in digests { digest.withBytes { hash.update(bufferPointer: $0) } }
        self.init(sha256: hash.finalize())
    }
}

extension PayloadDigest {
    init(of source: EventSource) {
        self.init(sha256: SHA256.hash(data: Array(source.rawValue.utf8)))
    }

    /// Of Apple's number where it stands outside what is signed.
    init(of status: AppleStatus) {
        self.init(sha256: SHA256.hash(data: Array("status \(status.rawValue)".utf8)))
    }
}
