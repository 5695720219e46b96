import EventSourcing
import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

@Suite struct SubmissionTests {
    @Test("any bundle with its originals crosses exactly", arguments: 0..<10)
    func crosses(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<100 {
            // given
            let bundle = random.bundle(under: Samples.key)
            let headers = (0..<Int.random(in: 0...3, using: &random)).map { _ in Array(random.text().utf8) }
            let evidence =
                Bool.random(using: &random)
                ? nil : EncodedEvidence(headers: headers, body: Array(random.text().utf8))
            // when
            let sent = ProtoSubmission(key: Samples.key, bundle: bundle, evidence: evidence)
            let received = try ProtoSubmission(serializedBytes: sent.serializedBytes() as [UInt8])
            // then
            #expect(try received.key == Samples.key)
            #expect(try isIdentical(received.factBundle, bundle))
            #expect(received.encodedEvidence == evidence)
        }
    }

    @Test("a submission that lacks what it must have is refused")
    func lacking() {
        let damages: [(String, (inout ProtoSubmission) -> Void)] = [
            ("no key", { $0.streamKey.removeAll() }),
            ("no date", { $0.bundle.content.clearSignedDate() }),
            ("no digest", { $0.bundle.content.contentDigest.removeAll() }),
        ]
        for (name, damage) in damages {
            // given
            var random = Randomness(seed: 1)
            var submission = ProtoSubmission(
                key: Samples.key, bundle: random.bundle(under: Samples.key), evidence: nil)
            // when
            damage(&submission)
            // then
            #expect(throws: WireError.self, "\(name)") {
                _ = try submission.factBundle
            }
        }
    }
}
