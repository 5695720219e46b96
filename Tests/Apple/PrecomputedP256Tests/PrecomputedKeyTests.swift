import Crypto
import Foundation
import PerennialTestSupport
import PrecomputedP256
import Testing

/// Everything is held against swift-crypto, whose answer counts.
@Suite(.onOwnThreads) struct PrecomputedKeyTests {
    @Test("what a key signs is known as signed by it, and by no other", arguments: 0..<8)
    func signatures(seed: UInt64) throws {
        // given
        var random = Numbers(seed: seed)
        let key = try P256.Signing.PrivateKey(rawRepresentation: random.scalar())
        let other = try P256.Signing.PrivateKey(rawRepresentation: random.scalar())
        let pair = try Pair(key.publicKey)
        let stranger = try Pair(other.publicKey)
        for _ in 0..<100 {
            // when
            let digest = random.bytes(32)
            let signature = try key.signature(for: SHA256.Digest(digest)).rawRepresentation
            // then
            #expect(try pair.answer(digest, signature) == true)
            #expect(try stranger.answer(digest, signature) == false)
        }
    }

    @Test("a changed bit anywhere makes it another signature")
    func changedBits() throws {
        var random = Numbers(seed: 11)
        let key = try P256.Signing.PrivateKey(rawRepresentation: random.scalar())
        let pair = try Pair(key.publicKey)
        let digest = random.bytes(32)
        let signature = try key.signature(for: SHA256.Digest(digest)).rawRepresentation
        for bit in 0..<512 {
            var changed = signature
            changed[changed.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try pair.answer(digest, changed) == false)
        }
        for bit in 0..<256 {
            var changed = digest
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try pair.answer(changed, signature) == false)
        }
    }

    @Test("the answer is swift-crypto's whatever r, s, digest and key are", arguments: Edges.keys)
    func edges(privateKey: Edge) throws {
        let pair = try Pair(P256.Signing.PrivateKey(rawRepresentation: privateKey.bytes).publicKey)
        for r in Edges.numbers {
            for s in Edges.numbers {
                for digest in Edges.numbers { _ = try pair.answer(Array(digest.bytes), r.bytes + s.bytes) }
            }
        }
    }

    @Test("with s and n − s a signature is the same")
    func negatedS() throws {
        var random = Numbers(seed: 12)
        let key = try P256.Signing.PrivateKey(rawRepresentation: random.scalar())
        let digest = random.bytes(32)
        let signature = Data(try key.signature(for: SHA256.Digest(digest)).rawRepresentation)
        let negated = Edges.order.subtracting(Edge(signature.suffix(32)))
        #expect(try Pair(key.publicKey).answer(digest, signature.prefix(32) + negated.bytes) == true)
    }

    @Test("points that meet on the way, or cancel each other, are added as they are")
    func meetingPoints() throws {
        for multiple in [1, 2, 3, 128, 255] as [UInt8] {
            // given: keys whose table has points of the base point's, or their opposites
            let small = Edge(multiple)
            for privateKey in [small, Edges.order.subtracting(small)] {
                let key = try P256.Signing.PrivateKey(rawRepresentation: privateKey.bytes)
                let pair = try Pair(key.publicKey)
                for digest in Edges.numbers {
                    let signature = try key.signature(for: SHA256.Digest(Array(digest.bytes))).rawRepresentation
                    #expect(try pair.answer(Array(digest.bytes), signature) == true)
                    // r = ±digest: the two parts of the sum are of one size
                    for r in [digest, Edges.order.subtracting(digest)] where r.isScalar {
                        for s in Edges.numbers { _ = try pair.answer(Array(digest.bytes), r.bytes + s.bytes) }
                    }
                }
            }
        }
    }

    @Test("an x between n and p counts as x − n")
    func largeX() throws {
        // with s = r = 3 and the digest 0 the key that has signed so is that point itself
        let three = Edge(3).bytes
        #expect(try Pair(Self.pointWithLargeX()).answer(Array(repeating: 0, count: 32), three + three) == true)
    }

    /// x = n + 3, found by trying.
    private static func pointWithLargeX() throws -> P256.Signing.PublicKey {
        let x = Edges.order.adding(Edge(3))
        let y = Edge("484f0c0fda434ef0a808458914f328715d7a545e198ac7eee31dffe861b5d23f")
        return try P256.Signing.PublicKey(x963Representation: [4] + x.bytes + y.bytes)
    }

    @Test("an r or s that is n too large is none, although it means the same modulo n")
    func unreduced() throws {
        let three = Edge(3)
        let pair = try Pair(Self.pointWithLargeX())
        let digest = Edge(0)
        #expect(try pair.answer(Array(digest.bytes), three.bytes + three.bytes) == true)
        #expect(try pair.answer(Array(digest.bytes), Edges.order.adding(three).bytes + three.bytes) == false)
        #expect(try pair.answer(Array(digest.bytes), three.bytes + Edges.order.adding(three).bytes) == false)
    }

    @Test("x − n counts only where x is below p")
    func noSuchX() throws {
        // given keys that are points themselves; with r = s and the digest 0 the sum is the key
        let five = Edge(5)
        let y = Edge("459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc")
        let key = try P256.Signing.PublicKey(x963Representation: [4] + five.bytes + y.bytes)
        let base = try P256.Signing.PrivateKey(rawRepresentation: Edge(1).bytes).publicKey
        let digest = Array(Edge(0).bytes)
        // when r + n is x + p, or x + 2²⁵⁶
        let beyondPrime = Edges.prime.subtracting(Edges.order).adding(five).bytes
        let beyondAll = Edge(base.x963Representation.dropFirst().prefix(32)).subtracting(Edges.order).bytes
        // then
        #expect(try Pair(key).answer(digest, five.bytes + five.bytes) == true)
        #expect(try Pair(key).answer(digest, beyondPrime + beyondPrime) == false)
        #expect(try Pair(base).answer(digest, beyondAll + beyondAll) == false)
    }

    @Test("a sum that passes twice the same point, or its opposite, is the sum it should be")
    func trueMeetings() throws {
        let base = try Pair(P256.Signing.PrivateKey(rawRepresentation: Edge(1).bytes).publicKey)
        // given u1 = u2 = 1 with the base point as key: G + G, with r = x(2G)
        let double = Edge("7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978").bytes
        #expect(try base.answer(Array(double), double + double) == true)
        // given u1 = −1 and u2 = 257: −G and G cancel each other on the way to 256 · G
        let digest = Edge("bb104cddc28d6980e19669c4e8916aa7c5dab853c1e6080b4b833ac9093cc261").bytes
        let r = Edge("34a2d4a3b009165987ffd1528603ed61190d0b710d6a564c2db2e35f12d0441b").bytes
        let s = Edge("44efb3213d7296801e69963b176e9557f70c4259e5319679a8368ff9f32662f0").bytes
        #expect(try base.answer(Array(digest), r + s) == true)
    }

    @Test("what is no point is no key")
    func noPoint() {
        let good = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        var offCurve = good
        offCurve[64] ^= 1
        var compressed = good
        compressed[0] = 2
        // the point with x = 5, whose x is written p + 5
        let beyondPrime =
            [4] + Edges.prime.adding(Edge(5)).bytes
            + Edge("459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc").bytes
        for bytes in [offCurve, compressed, beyondPrime, good + [0], Array(good.dropLast()), []] {
            #expect(PrecomputedKey(x963Representation: bytes) == nil)
        }
    }

    @Test("what has another length is no signature")
    func lengths() throws {
        let key = P256.Signing.PrivateKey()
        let known = try #require(PrecomputedKey(x963Representation: Array(key.publicKey.x963Representation)))
        let digest = [UInt8](repeating: 1, count: 32)
        let signature = Array(try key.signature(for: SHA256.Digest(digest)).rawRepresentation)
        #expect(known.hasSigned(digest, signature))
        #expect(!known.hasSigned(digest, signature + [0]))
        #expect(!known.hasSigned(digest, Array(signature.dropLast())))
        #expect(!known.hasSigned(digest + [0], signature))
        #expect(!known.hasSigned([], []))
    }
}

/// A key and the table of it.
private struct Pair {
    let key: P256.Signing.PublicKey
    let known: PrecomputedKey

    init(_ key: P256.Signing.PublicKey) throws {
        self.key = key
        self.known = try #require(PrecomputedKey(x963Representation: Array(key.x963Representation)))
    }

    /// swift-crypto's answer, which the table's has to equal.
    func answer(_ digest: [UInt8], _ signature: Data) throws -> Bool {
        let expected = self.key.isValidSignature(
            try P256.Signing.ECDSASignature(rawRepresentation: signature), for: SHA256.Digest(digest))
        #expect(self.known.hasSigned(digest, Array(signature)) == expected)
        return expected
    }
}

extension PrecomputedKey {
    fileprivate func hasSigned(_ digest: [UInt8], _ signature: [UInt8]) -> Bool {
        digest.withUnsafeBytes { digest in
            signature.withUnsafeBytes { self.hasSigned(digest, signature: $0) }
        }
    }
}
