package import EventSourcing
package import Subscriptions
package import WireProtocol

/// What arrived together about one stream, with its signed originals, to be recorded by the owner of its shard. May be
/// repeated: the bundle's dedup key makes a second delivery a duplicate.
package struct Submission: Sendable {
    package let key: StreamKey
    package let bundle: FactBundle
    /// nil where nothing was signed.
    package let evidence: EncodedEvidence?

    package init(key: StreamKey, bundle: FactBundle, evidence: EncodedEvidence?) {
        self.key = key
        self.bundle = bundle
        self.evidence = evidence
    }
}

extension Submission: ProtoRepresentable {
    package init(_ proto: ProtoSubmission) throws(WireError) {
        self.init(key: try proto.key, bundle: try proto.factBundle, evidence: proto.encodedEvidence)
    }

    package func proto() -> ProtoSubmission {
        ProtoSubmission(key: self.key, bundle: self.bundle, evidence: self.evidence)
    }
}
