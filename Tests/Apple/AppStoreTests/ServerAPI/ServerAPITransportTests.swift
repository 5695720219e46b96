import AppStore
import AsyncHTTPClient
import Synchronization
import Testing

/// The Server API over real HTTP on the loopback.
@Suite struct ServerAPITransportTests {
    private func ask(
        url: String? = nil, timeout: Duration = .seconds(600),
        respond: @escaping @Sendable ([UInt8]) -> (status: Int, body: [UInt8])?
    ) async throws -> Result<ServerAPIAnswer, ServerAPIError> {
        let server = try LocalHTTPServer(respond: respond)
        defer { server.stop() }
        let request = ServerAPIRequest(
            method: .put, baseURL: url ?? "http://127.0.0.1:\(server.port)", path: "/inApps/v1/x", query: "a=b",
            headers: [(name: "Authorization", value: "Bearer t")], body: Array("{}".utf8))
        let transport = HTTPServerAPITransport(client: .shared)
        do throws(ServerAPIError) {
            return .success(try await transport.send(request, timeout: timeout))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [200, 202, 404, 429, 500]) func anyStatusIsAnAnswer(_ status: Int) async throws {
        let answer = try await self.ask { (status, $0 + Array("!".utf8)) }.get()
        #expect(answer.status == status)
        #expect(answer.body == Array("{}!".utf8))
        #expect(answer.retryAfter == nil)
    }

    @Test func silenceEnds() async throws {
        let answer = try await self.ask(timeout: .milliseconds(100)) { _ in nil }
        #expect(throws: ServerAPIError.self) { try answer.get() }
        guard case .failure(let error) = answer else { return }
        #expect(error.code == .timedOut)
    }

    @Test func aFloodIsRefused() async throws {
        let flood = [UInt8](repeating: 0x20, count: (8 << 20) + 1)
        guard case .failure(let error) = try await self.ask(respond: { _ in (200, flood) }) else {
            Issue.record("was taken")
            return
        }
        #expect(error.code == .tooLarge)
    }

    @Test(arguments: ["http://127.0.0.1:1", "ftp://127.0.0.1", "no url"])
    func whatCannotBeReached(_ url: String) async throws {
        let answer = try await self.ask(url: url, timeout: .seconds(20)) { _ in (200, []) }
        guard case .failure(let error) = answer else {
            Issue.record("was reached")
            return
        }
        #expect(error.code == .notReached)
        #expect(error.retryable)
    }
}
