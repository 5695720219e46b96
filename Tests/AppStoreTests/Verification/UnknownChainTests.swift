import AppStore
import AppStoreSimulator
import Base64Coding
import Foundation
import Subscriptions
import Testing
import X509

/// What is signed under chains that nobody has vouched for yet.
@Suite struct UnknownChainTests {
    private let store: TestStore
    /// Same names, same markers, all signatures good: only the root is another.
    private let forger: CertificateAuthority

    init() throws {
        self.store = try TestStore.shared.get()
        self.forger = try CertificateAuthority.make(seed: 4)
    }

    private func reader(_ allowance: Allowance) throws -> TransactionReader {
        let apps = try AppDirectory([self.store.app])
        return TransactionReader(verifier: PayloadVerifier(apps: apps, allowance: allowance), apps: apps)
    }

    private func refusal(
        of jws: [UInt8], by reader: TransactionReader
    ) async -> VerificationFailure.Class? {
        do throws(ReadingFailure) {
            _ = try await reader.read(signedTransaction: jws, now: TestStore.now)
            return nil
        } catch {
            return error.class
        }
    }

    @Test func `beyond their allowance they are turned away, and nobody else is`() async throws {
        let reader = try self.reader(Allowance(burst: 2, every: .seconds(3_600)))
        let genuine = try self.store.sign(.transaction)
        let forged = try self.forger.signer.sign(Payload.transaction.bytes)
        #expect(await self.refusal(of: genuine, by: reader) == nil)

        for _ in 0..<2 { #expect(await self.refusal(of: forged, by: reader) == .verificationFailure) }
        for _ in 0..<5 { #expect(await self.refusal(of: forged, by: reader) == .retryableVerificationFailure) }

        #expect(await self.refusal(of: genuine, by: reader) == nil)
    }

    @Test func `as long as nothing is known, all are judged`() async throws {
        let reader = try self.reader(Allowance(burst: 1, every: .seconds(3_600)))
        let forged = try self.forger.signer.sign(Payload.transaction.bytes)

        for _ in 0..<5 { #expect(await self.refusal(of: forged, by: reader) == .verificationFailure) }
        #expect(await self.refusal(of: try self.store.sign(.transaction), by: reader) == nil)
    }

    @Test func `what is refused without work on curves needs no allowance`() async throws {
        let reader = try self.reader(Allowance(burst: 0, every: .seconds(3_600)))
        #expect(await self.refusal(of: try self.store.sign(.transaction), by: reader) == nil)
        let authority = self.store.authority
        let swapped = PayloadSigner(
            chain: [authority.intermediate.der, authority.leaf.der, authority.root.der], key: authority.leafKey)
        let unmarked = try CertificateAuthority.make(seed: 4, leaf: .leaf.with { $0.markers = [] }).signer

        for signer in [swapped, unmarked] {
            let jws = try signer.sign(Payload.transaction.bytes)
            #expect(await self.refusal(of: jws, by: reader) == .verificationFailure)
        }
        #expect(await self.refusal(of: Array("a.b.c".utf8), by: reader) == .invalidJWTFormat)
        // Nor does a known header with a signature that is not the leaf's.
        var altered = Segments(try self.store.sign(.transaction))
        altered.payload = Segments.encode(Payload.transaction.with("productId", "\"pro.yearly\"").json)
        #expect(await self.refusal(of: altered.jws, by: reader) == .verificationFailure)
    }

    @Test func `a genuine chain that is new is taken in`() async throws {
        let reader = try self.reader(Allowance(burst: 1, every: .seconds(3_600)))
        #expect(await self.refusal(of: try self.store.sign(.transaction), by: reader) == nil)
        let leaf = CertificateProfile.leaf.with { $0.commonName = "Next" }
        let next = try CertificateAuthority.make(seed: 1, leaf: leaf)
        #expect(next.root.certificate.publicKey == self.store.authority.root.certificate.publicKey)
        let issued = try self.store.authority.issue(leaf, by: self.store.authority.intermediate)
        let signer = PayloadSigner(
            chain: [issued.der, self.store.authority.intermediate.der, self.store.authority.root.der],
            key: next.leafKey)

        for _ in 0..<3 {
            #expect(await self.refusal(of: try signer.sign(Payload.transaction.bytes), by: reader) == nil)
        }
    }

    @Test func `a leaf under the genuine intermediate has to be signed by it`() async throws {
        let reader = try self.reader(Allowance(burst: 9, every: .seconds(3_600)))
        let signer = PayloadSigner(
            chain: [self.forger.leaf.der, self.store.authority.intermediate.der, self.store.authority.root.der],
            key: self.forger.leafKey)

        // Before the intermediate is known, and after.
        #expect(await self.refusal(of: try signer.sign(Payload.transaction.bytes), by: reader) == .verificationFailure)
        #expect(await self.refusal(of: try self.store.sign(.transaction), by: reader) == nil)
        #expect(await self.refusal(of: try signer.sign(Payload.transaction.bytes), by: reader) == .verificationFailure)
    }

    @Test func `their standing is seen by the header alone`() async throws {
        let reader = try self.reader(Allowance(burst: 1, every: .seconds(3_600)))
        let genuine = try self.store.sign(.transaction)
        let forged = try self.forger.signer.sign(Payload.transaction.bytes)
        // As long as nothing is known, nobody could be displaced.
        #expect(reader.standing(of: forged) == .known)
        _ = try await reader.read(signedTransaction: genuine, now: TestStore.now)

        #expect(reader.standing(of: genuine) == .known)
        #expect(reader.standing(of: forged) == .unknown)
        #expect(reader.standing(of: Array("no JWS".utf8)) == .known)
    }

    @Test func `an allowance comes back with time`() {
        let start = ContinuousClock.now
        var allowance = Allowance(burst: 3, every: .seconds(1))

        for _ in 0..<3 {
            let isTaken = allowance.take(at: start)
            #expect(isTaken)
        }
        for (milliseconds, isLeft) in [(0, false), (999, false), (1_000, true), (1_001, false)] {
            let isTaken = allowance.take(at: start + .milliseconds(milliseconds))
            #expect(isTaken == isLeft)
        }
        // and does not pile up
        let taken = (0..<9).map { _ in allowance.take(at: start + .seconds(3_600)) }
        #expect(taken.count { $0 } == 3)
    }
}
