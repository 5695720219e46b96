import AppStore
import AppStoreSimulator
import AsyncHTTPClient
import NIOCore
import Subscriptions
import Testing

/// OCSP over real HTTP on the loopback.
@Suite struct OCSPTransportTests {
    private func refusal(
        url: String? = nil, timeout: TimeAmount = .seconds(600),
        respond: @escaping @Sendable (OCSPResponder, [UInt8]) -> (status: Int, body: [UInt8])?
    ) async throws -> VerificationFailure.Class? {
        // The port has to be in the certificates, and the certificates in the responder.
        let late = LateResponder()
        let server = try LocalHTTPServer { body in late.responder.flatMap { respond($0, body) } }
        defer { server.stop() }
        let url = url ?? "http://127.0.0.1:\(server.port)/ocsp"
        let authority = try CertificateAuthority.make(
            seed: 40, intermediate: .intermediate.with { $0.ocspURL = url }, leaf: .leaf.with { $0.ocspURL = url })
        late.set(OCSPResponder(authority: authority, script: OCSPScript(now: TestStore.now)))
        let store = try TestStore(authority: authority)
        let transport = HTTPOCSPTransport(client: .shared, timeout: timeout)
        let inspector = try PayloadInspector(app: store.app, revocation: RevocationChecker(transport: transport))
        do {
            _ = try await inspector.inspect(store.sign(.transaction), as: .transaction, now: TestStore.now)
            return nil
        } catch let failure as VerificationFailure {
            return failure.class
        }
    }

    @Test func asksAndBelieves() async throws {
        let refusal = try await self.refusal { responder, body in (try? responder.answer(body)).map { (200, $0) } }
        #expect(refusal == nil)
    }

    @Test(arguments: [500, 404, 204]) func statusesOtherThan200AreRetryable(_ status: Int) async throws {
        #expect(try await self.refusal { _, _ in (status, []) } == .retryableVerificationFailure)
    }

    @Test func nonsenseIsRetryable() async throws {
        #expect(try await self.refusal { _, _ in (200, Array("<html>".utf8)) } == .retryableVerificationFailure)
        let flood = [UInt8](repeating: 0x30, count: 100_000)
        #expect(try await self.refusal { _, _ in (200, flood) } == .retryableVerificationFailure)
    }

    @Test func silenceIsRetryable() async throws {
        #expect(
            try await self.refusal(timeout: .milliseconds(200)) { _, _ in nil } == .retryableVerificationFailure)
    }

    @Test(arguments: ["http://127.0.0.1:1/", "ftp://127.0.0.1/", "no url"])
    func unreachableRespondersAreRetryable(_ url: String) async throws {
        let refusal = try await self.refusal(url: url, timeout: .seconds(20)) { _, _ in (200, []) }
        #expect(refusal == .retryableVerificationFailure)
    }
}
