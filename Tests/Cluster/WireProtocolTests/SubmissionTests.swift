import EventLog
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
            let bytes = try Submission(key: Samples.key, bundle: bundle, evidence: evidence).wireBytes()
            let received = try Submission(wireBytes: bytes)
            // then
            #expect(received.key == Samples.key)
            #expect(isIdentical(received.bundle, bundle))
            #expect(received.evidence == evidence)
            _ = try? Submission(wireBytes: random.damaged(bytes))
            // and SwiftProtobuf reads and writes the same
            #expect(try ProtoSubmission(serializedBytes: bytes).serializedBytes() as [UInt8] == bytes)
        }
    }

    @Test("header segments that are named cross exactly to whoever knows them, and to nobody else", arguments: 0..<10)
    func crossesByName(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<100 {
            // given
            let headers = (0..<Int.random(in: 1...3, using: &random)).map { Array("\($0) \(random.text())".utf8) }
            let submission = Submission(
                key: Samples.key, bundle: random.bundle(under: Samples.key),
                evidence: EncodedEvidence(headers: headers, body: Array(random.text().utf8)))
            let hashes = headers.map { ContentHash.sha256($0) }
            // when
            let bytes = try submission.wireBytes(naming: hashes)
            let received = try Submission(wireBytes: bytes) { hash in
                hashes.firstIndex(of: hash).map { headers[$0] }
            }
            // then
            #expect(received.key == submission.key)
            #expect(isIdentical(received.bundle, submission.bundle))
            #expect(received.evidence == submission.evidence)
            #expect(throws: WireError.self) { try Submission(wireBytes: bytes) }
            let forgotten = hashes.randomElement(using: &random)
            #expect(throws: WireError.self) {
                try Submission(wireBytes: bytes) { hash in
                    hash == forgotten ? nil : hashes.firstIndex(of: hash).map { headers[$0] }
                }
            }
            // and whoever knows only the older fields finds no bundle
            let proto = try ProtoSubmission(serializedBytes: bytes)
            #expect(!proto.hasBundle && !proto.hasEvidence)
            #expect(try proto.serializedBytes() as [UInt8] == bytes)
        }
    }

    @Test("a submission that lacks what it must have is refused")
    func lacking() {
        let damages: [(String, (inout ProtoSubmission) -> Void)] = [
            ("no bundle", { $0.clearBundle() }), ("no content", { $0.bundle.clearContent() }),
            ("no key", { $0.streamKey.removeAll() }),
            ("no date", { $0.bundle.content.clearSignedDate() }),
            ("no digest", { $0.bundle.content.contentDigest.removeAll() }),
        ]
        for (name, damage) in damages {
            // given
            var random = Randomness(seed: 1)
            let whole = Submission(key: Samples.key, bundle: random.bundle(under: Samples.key), evidence: nil)
            #expect(throws: WireError.self, "\(name)") {
                var submission = try ProtoSubmission(serializedBytes: whole.wireBytes())
                // when
                damage(&submission)
                // then
                _ = try Submission(wireBytes: submission.serializedBytes())
            }
        }
    }
}
