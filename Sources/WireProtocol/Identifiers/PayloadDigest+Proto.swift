import FoundationEssentials
import Subscriptions

extension PayloadDigest {
    init(proto: Data) throws(WireError) {
        guard proto.count == 32 else { throw WireError(.malformed, "a SHA-256 digest has 32 bytes") }
        self.init(proto)
    }
}
