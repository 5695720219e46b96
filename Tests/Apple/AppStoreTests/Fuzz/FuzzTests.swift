import AppStore
import AppStoreSimulator
import Foundation
import StrictJSON
import Subscriptions
import Testing

/// 200,000 damaged inputs from fixed seeds: nothing traps, and nothing that was altered is accepted. For as long as
/// one likes, with other seeds, set PERENNIAL_FUZZ_SECONDS.
@Suite struct FuzzTests {
    /// Runs `body` with a mutator, `count` times from `seed`, or by the clock when asked to.
    private func fuzz(
        count: Int, seed: UInt64, _ body: (inout Mutator) async throws -> Void
    ) async throws {
        guard let seconds = ProcessInfo.processInfo.environment["PERENNIAL_FUZZ_SECONDS"].flatMap(Double.init) else {
            var mutator = Mutator(seed: seed)
            for _ in 0..<count { try await body(&mutator) }
            return
        }
        let start = UInt64.random(in: 0 ... .max)
        print("fuzzing from seed \(start) for \(seconds) s")
        var mutator = Mutator(seed: start)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end { try await body(&mutator) }
    }

    /// Whole tokens. Only the very text that was signed may pass.
    @Test func tokens() async throws {
        let store = try TestStore.shared.get()
        let inspector = try PayloadInspector(app: store.app)
        let good = try store.sign(.transaction)
        _ = try await inspector.inspect(good, as: .transaction, now: TestStore.now)
        try await self.fuzz(count: 60_000, seed: 1) { mutator in
            let jws = mutator.mutate(good)
            guard jws != good, (try? await inspector.inspect(jws, as: .transaction, now: TestStore.now)) != nil else {
                return
            }
            Issue.record("accepted \(String(decoding: jws, as: UTF8.self))")
        }
    }

    /// Notifications: forged ones are refused, so what is set aside or read must be the original.
    @Test func notifications() async throws {
        let store = try TestStore.shared.get()
        let apps = try AppDirectory([store.app])
        let reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        let good = try store.notification()
        try await self.fuzz(count: 20_000, seed: 2) { mutator in
            let jws = mutator.mutate(good)
            guard jws != good, (try? await reader.read(jws, now: TestStore.now)) != nil else { return }
            Issue.record("accepted \(String(decoding: jws, as: UTF8.self))")
        }
    }

    /// Certificates: damaged DER in a header that the leaf's key has signed. Only the third may be anything.
    @Test func certificates() async throws {
        let store = try TestStore.shared.get()
        let inspector = try PayloadInspector(app: store.app)
        let original = store.authority.chain
        try await self.fuzz(count: 40_000, seed: 3) { mutator in
            var chain = original
            let position = Int.random(in: 0..<3, using: &mutator.random)
            chain[position] = mutator.mutate(chain[position])
            let jws = try PayloadSigner(chain: chain, key: store.authority.leafKey).sign(Payload.transaction.bytes)
            guard (try? await inspector.inspect(jws, as: .transaction, now: TestStore.now)) != nil, position < 2,
                chain != original
            else { return }
            Issue.record("accepted \(String(decoding: jws, as: UTF8.self))")
        }
    }

    /// Payloads behind a good signature would be costly to make by the thousand; a verifier that skips signatures
    /// reads the same JSON.
    @Test func payloads() async throws {
        let store = try TestStore.shared.get().serving([.xcode])
        let inspector = try PayloadInspector(app: store.app)
        let originals: [(PayloadKind, Payload)] = [
            (.transaction, .transaction.with("environment", "\"Xcode\"")),
            (.renewal, .renewal.with("environment", "\"Xcode\"")),
            (.appTransaction, .appTransaction.with("receiptType", "\"Xcode\"")),
            (.notification, .notification("TEST", .data.with("environment", "\"Xcode\""))),
        ]
        try await self.fuzz(count: 40_000, seed: 4) { mutator in
            let (kind, payload) = originals.randomElement(using: &mutator.random)!
            let damaged = mutator.mutate(payload.bytes)
            let jws = Array("\(Segments.encode("{}")).\(Segments.encode(damaged)).AAAA".utf8)
            do throws(VerificationFailure) {
                guard try await inspector.inspect(jws, as: kind, now: TestStore.now) != damaged else { return }
                Issue.record("read something else than \(String(decoding: damaged, as: UTF8.self))")
            } catch {
                guard error.isRetryable else { return }
                Issue.record("nothing here may be tried again")
            }
        }
    }

    /// The scanner alone: what it accepts, Foundation reads as well.
    @Test func documents() async throws {
        let original = Payload.notification(
            "TEST", .data.with("more", #"[1,-2.5,"\u00e9\ud83d\ude00",true,null,{"a":{}}]"#)
        ).bytes
        try await self.fuzz(count: 40_000, seed: 5) { mutator in
            let damaged = mutator.mutate(original)
            // An exponent of any size is JSON, but more than Foundation can hold.
            let hasExponent = zip(damaged, damaged.dropFirst()).contains { digit, letter in
                (0x30...0x39).contains(digit) && letter | 0x20 == UInt8(ascii: "e")
            }
            guard !hasExponent, (try? JSONScanner.validate(damaged)) != nil else { return }
            guard (try? JSONSerialization.jsonObject(with: Data(damaged), options: .fragmentsAllowed)) == nil else {
                return
            }
            Issue.record("accepted \(String(decoding: damaged, as: UTF8.self))")
        }
    }

    /// OCSP answers: damaged ones never become good ones.
    @Test func ocspAnswers() async throws {
        let authority = try RevocationTests.authority.get()
        let store = try TestStore(authority: authority)
        let responder = OCSPResponder(authority: authority, script: OCSPScript(now: TestStore.now))
        let jws = try store.sign(.transaction)
        try await self.fuzz(count: 2_000, seed: 6) { mutator in
            let transport = DamagingTransport(responder: responder, seed: mutator.random.next())
            let inspector = try PayloadInspector(app: store.app, revocation: RevocationChecker(transport: transport))
            await #expect(throws: VerificationFailure.self) {
                try await inspector.inspect(jws, as: .transaction, now: TestStore.now)
            }
        }
    }
}

private struct DamagingTransport: OCSPTransport {
    let responder: OCSPResponder
    let seed: UInt64

    func post(_ request: [UInt8], to url: String) async throws -> [UInt8] {
        var mutator = Mutator(seed: self.seed)
        let answer = try self.responder.answer(request)
        let damaged = mutator.mutate(answer)
        return damaged == answer ? [] : damaged
    }
}
