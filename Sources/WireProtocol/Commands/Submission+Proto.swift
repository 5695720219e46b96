package import EventSourcing
import FoundationEssentials
package import Subscriptions

extension ProtoSubmission {
    package init(key: StreamKey, bundle: FactBundle, evidence: [EvidencePart]) {
        self.init()
        self.streamKey = Data(key.bytes)
        self.bundle = bundle.proto(key: key)
        self.evidence = evidence.map { $0.proto() }
    }

    /// The stream that the bundle is about.
    package var key: StreamKey {
        get throws(WireError) {
            guard let key = StreamKey(bytes: self.streamKey) else { throw WireError(.malformed, "not a stream key") }
            return key
        }
    }

    package var factBundle: FactBundle {
        get throws(WireError) { try FactBundle(self.bundle, key: self.key) }
    }

    /// The signed originals of the bundle.
    package var evidenceParts: [EvidencePart] {
        get throws(WireError) {
            var parts = [EvidencePart]()
            for part in self.evidence { try parts.append(EvidencePart(part)) }
            return parts
        }
    }
}
