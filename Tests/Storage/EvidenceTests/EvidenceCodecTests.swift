import EventLog
import Evidence
import PerennialTestSupport
import Testing

@Suite struct EvidenceCodecTests {
    private let codec = EvidenceCodec()

    @Test func aNotificationIsSmallAndItsChainLeavesTheRow() throws {
        var notifications = SyntheticNotifications()
        let original = notifications.renewal(customer: 1, period: 1)

        let encoded = try self.codec.encode([EvidencePart(name: .signedPayload, jws: original)])

        #expect(encoded.headers.count == 1)
        #expect(encoded.body.count < 900, "\(original.count) bytes became \(encoded.body.count)")
        #expect(try self.codec.decode(encoded) == [EvidencePart(name: .signedPayload, jws: original)])
    }

    /// Each of these is not what the codec takes apart, in one way.
    @Test(arguments: [
        "", ".", "..", "...", "a.b.c", "no dots at all", "a.b", "\u{0}.\u{0}.\u{0}",
        "header.e30." + String(repeating: "A", count: 85),  // a signature of 63 bytes
        "header.e30." + String(repeating: "A", count: 86) + "=",  // padded
        "header.e30." + String(repeating: "A", count: 85) + "B",  // set bits behind the last byte
        "header.e3." + String(repeating: "A", count: 86),  // the same in the payload
        "header.e30." + String(repeating: "A", count: 86) + ".",  // a fourth segment
        "header.e 0." + String(repeating: "A", count: 86),
        ".e30." + String(repeating: "A", count: 86),  // an empty header is fine
    ])
    func givesBackWhatIsNoPlainJWS(_ text: String) throws {
        let parts = [EvidencePart(name: .signedTransactionInfo, jws: Array(text.utf8))]
        #expect(try self.codec.decode(self.codec.encode(parts)) == parts)
    }

    @Test func givesBackNestedTextThatOnlyLooksLikeAJWS() throws {
        let signature = String(repeating: "A", count: 86)
        let payloads = [
            #"{"signedTransactionInfo":"h.e30.\#(signature)"}"#, #"{"signedTransactionInfo":"h.e30.\#(signature)"#,
            #"{"signedRenewalInfo":"","signedTransactionInfo":"x"}"#, #"{"signedRenewalInfo":"#,
            #""signedAppTransactionInfo":""#, #"{"signedRenewalInfo":"h.e30.\#(signature)","signedRenewalInfo":""#,
            #"["signedRenewalInfo":"h.e30.\#(signature)""signedRenewalInfo":"g.e30.\#(signature)""#,
        ]
        for payload in payloads {
            let jws = "h.\(SyntheticNotifications.base64URL(Array(payload.utf8))).\(signature)"
            let parts = [EvidencePart(name: .signedPayload, jws: Array(jws.utf8))]
            #expect(try self.codec.decode(self.codec.encode(parts)) == parts, "\(payload)")
        }
    }

    @Test func manyPartsAndHugeOnesAreBounded() throws {
        let parts = (0..<64).map { EvidencePart(name: .signedPayload, jws: Array("part \($0)".utf8)) }
        #expect(try self.codec.decode(self.codec.encode(parts)) == parts)
        let size = EvidenceCodec.maximumBytes + 1
        let huge = EvidencePart(name: .signedPayload, jws: [UInt8](repeating: 65, count: size))
        for tooMuch in [[huge], parts + parts] {
            #expect {
                try self.codec.encode(tooMuch)
            } throws: { error in
                (error as? StoreError)?.code == .full
            }
        }
    }

    /// Garbage must throw, and not trap, hang or allocate without bound.
    @Test func aDamagedRowThrowsCorrupt() throws {
        var notifications = SyntheticNotifications()
        let parts = [EvidencePart(name: .signedPayload, jws: notifications.renewal(customer: 1, period: 1))]
        let whole = try self.codec.encode(parts)
        var random = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            var damaged = whole
            switch round % 4 {
            case 0: damaged.body = Array(whole.body.prefix(Int.random(in: 0..<whole.body.count, using: &random)))
            case 1: damaged.body = [1] + random.bytes(Int.random(in: 0..<200, using: &random))
            case 2: damaged.headers = []
            default:
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<damaged.body.count, using: &random)
                    damaged.body[place] ^= UInt8.random(in: 1...255, using: &random)
                }
            }
            do throws(StoreError) {
                // A flipped bit of a signature or of text is for the verification of signatures to see.
                _ = try self.codec.decode(damaged)
            } catch {
                #expect(error.code == .corrupt)
            }
        }
    }

    /// What a release has written: another dictionary or layout is another version, and this one stays readable.
    @Test func rowsOfTheFirstVersionStayReadable() throws {
        let row = EncodedEvidence(
            headers: [Array("eyJhbGciOiJFUzI1NiJ9".utf8)],
            body: Self.bytes(hex: Self.rowOfVersion1) + Self.signature + Self.signature)
        let parts = try self.codec.decode(row)
        #expect(parts.map(\.name) == [.signedTransactionInfo, .signedRenewalInfo])
        #expect(parts.map(\.jws) == [Self.transaction, Self.renewal])
    }

    private static let transaction = Self.sign(
        #"{"transactionId":"2000000000000001","quantity":1,"type":"Auto-Renewable Subscription"}"#)
    private static let renewal = Self.sign(#"{"originalTransactionId":"2000000000000001","autoRenewStatus":1}"#)
    private static let signature = [UInt8](0..<64)
    /// Up to its signatures.
    private static let rowOfVersion1 =
        "010228b52ffd20a01d0100780902020100560301004031227d7b7d060041c58330706087e0f8a1151188f0bf2c24"

    private static func sign(_ payload: String) -> [UInt8] {
        let signature = SyntheticNotifications.base64URL(Self.signature)
        let encoded = SyntheticNotifications.base64URL(Array(payload.utf8))
        return Array("eyJhbGciOiJFUzI1NiJ9.\(encoded).\(signature)".utf8)
    }

    private static func bytes(hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }
}
