package import EventSourcing
import FoundationEssentials
package import Subscriptions

extension ProtoSubmission {
    package init(key: StreamKey, bundle: FactBundle, evidence: EncodedEvidence?) {
        self.init()
        self.streamKey = Data(key.bytes)
        self.bundle = bundle.proto(key: key)
        guard let evidence else { return }
        self.evidence.headers = evidence.headers.map { Data($0) }
        self.evidence.body = Data(evidence.body)
    }

    /// The stream that the bundle is about.
    package var key: StreamKey {
        get throws(WireError) {
            guard let key = StreamKey(bytes: Array(self.streamKey)) else {
                throw WireError(.malformed, "not a stream key")
            }
            return key
        }
    }

    package var factBundle: FactBundle {
        get throws(WireError) { try FactBundle(self.bundle, key: self.key) }
    }

    /// The signed originals of the bundle, packed.
    package var encodedEvidence: EncodedEvidence? {
        guard self.hasEvidence else { return nil }
        return EncodedEvidence(headers: self.evidence.headers.map { Array($0) }, body: Array(self.evidence.body))
    }
}
