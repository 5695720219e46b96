import AppStore
import AppStoreSimulator
import ByteCoding
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

    /// By which the store signs next.
    private func nextSigner() throws -> PayloadSigner {
        let leaf = CertificateProfile.leaf.with { $0.commonName = "Next" }
        let next = try CertificateAuthority.make(seed: 1, leaf: leaf)
        #expect(next.root.certificate.publicKey == self.store.authority.root.certificate.publicKey)
        let issued = try self.store.authority.issue(leaf, by: self.store.authority.intermediate)
        return PayloadSigner(
            chain: [issued.der, self.store.authority.intermediate.der, self.store.authority.root.der],
            key: next.leafKey)
    }

    @Test func `a genuine chain that is new is taken in`() async throws {
        let reader = try self.reader(Allowance(burst: 1, every: .seconds(3_600)))
        #expect(await self.refusal(of: try self.store.sign(.transaction), by: reader) == nil)
        let signer = try self.nextSigner()

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

    @Test func `what Apple was asked for needs no allowance, nor what it has signed around`() async throws {
        let apps = try AppDirectory([self.store.app])
        let verifier = PayloadVerifier(apps: apps, allowance: Allowance(burst: 0, every: .seconds(3_600)))
        let reader = NotificationReader(verifier: verifier, apps: apps)
        _ = try await reader.read(try self.store.notification(), now: TestStore.now)
        let signer = try self.nextSigner()
        let test = try signer.sign(Payload.notification("TEST", .data).bytes)
        let transaction = "\"\(String(decoding: try signer.sign(Payload.transaction.bytes), as: UTF8.self))\""
        let nesting = try self.store.sign(
            .notification("DID_RENEW", .data.with("status", "1").with("signedTransactionInfo", transaction)))

        do throws(ReadingFailure) {
            _ = try await reader.read(test, now: TestStore.now)
            Issue.record("an unknown chain was judged beyond the allowance")
        } catch {
            #expect(error.class == .retryableVerificationFailure)
        }
        guard case .bundle = try await reader.read(nesting, now: TestStore.now) else {
            Issue.record("what an authentic notification nests is not read")
            return
        }
        // Now the chain is known to everybody.
        _ = try await reader.read(test, now: TestStore.now)

        let other = PayloadVerifier(apps: apps, allowance: Allowance(burst: 0, every: .seconds(3_600)))
        await other.learn([Array(Segments(try self.store.sign(.transaction)).header.utf8)])
        _ = try await NotificationReader(verifier: other, apps: apps).ofAnswers.read(test, now: TestStore.now)
    }

    @Test func `a flood on one way in is none on another`() async throws {
        let apps = try AppDirectory([self.store.app])
        let spent = PayloadVerifier(apps: apps, allowance: Allowance(burst: 0, every: .seconds(3_600)))
        _ = try await NotificationReader(verifier: spent, apps: apps).read(
            try self.store.notification(), now: TestStore.now)
        let jws = try self.nextSigner().sign(Payload.transaction.bytes)

        let floods = TransactionReader(verifier: spent, apps: apps)
        #expect(await self.refusal(of: jws, by: floods) == .retryableVerificationFailure)
        let calm = TransactionReader(verifier: spent.with(Allowance(burst: 1, every: .seconds(3_600))), apps: apps)
        #expect(await self.refusal(of: jws, by: calm) == nil)
    }

    @Test func `chains that have signed before are known from the start`() async throws {
        let apps = try AppDirectory([self.store.app])
        let verifier = PayloadVerifier(apps: apps, allowance: Allowance(burst: 0, every: .seconds(3_600)))
        let reader = TransactionReader(verifier: verifier, apps: apps)
        let genuine = try self.store.sign(.transaction)
        let forged = try self.forger.signer.sign(Payload.transaction.bytes)

        await verifier.learn([genuine, forged, Array("none.at.all".utf8)].map { Array(Segments($0).header.utf8) })

        #expect(reader.standing(of: genuine) == .known)
        #expect(reader.standing(of: forged) == .unknown)
        #expect(await self.refusal(of: genuine, by: reader) == nil)
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

    @Test func `turns that are reserved in advance are even`() {
        let start = ContinuousClock.now
        var allowance = Allowance(burst: 2, every: .seconds(1))
        let waits = (0..<5).map { _ in allowance.reserve(at: start, within: .seconds(60)) }
        #expect(waits == [.zero, .zero, .seconds(1), .seconds(2), .seconds(3)])
        #expect(allowance.reserve(at: start + .seconds(2), within: .seconds(60)) == .seconds(2))
        #expect(allowance.reserve(at: start + .seconds(9), within: .seconds(60)) == .zero)
    }

    @Test func `no turn lies farther ahead than the limit, however many are reserved`() {
        let start = ContinuousClock.now
        var allowance = Allowance(burst: 1, every: .seconds(1))
        let waits = (0..<1_000).map { _ in allowance.reserve(at: start, within: .seconds(3)) }
        #expect(waits.prefix(5) == [.zero, .seconds(1), .seconds(2), .seconds(3), .seconds(3)])
        #expect(waits.max() == .seconds(3))
        #expect(allowance.reserve(at: start + .seconds(4), within: .seconds(3)) == .zero)
    }
}
