import AppStoreSimulator
import AsyncHTTPClient
import NIOCore
import Testing

/// What comes of one attempt, against servers on this machine that behave in their own ways.
@Suite(.timeLimit(.minutes(10))) struct NotificationSenderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let behaviour: RawServer.Behaviour
        let result: SendAttempt.Result

        init(_ behaviour: RawServer.Behaviour, _ result: SendAttempt.Result) {
            self.behaviour = behaviour
            self.result = result
        }

        /// An answer without a body.
        init(_ status: Int, _ result: SendAttempt.Result, headers: String = "") {
            self.init(.answers("HTTP/1.1 \(status) X\r\n\(headers)Content-Length: 0\r\n\r\n"), result)
        }

        var testDescription: String { "\(self.behaviour)" }
    }

    private static let cases = [
        Case(200, .success), Case(202, .success), Case(206, .success), Case(207, .unsuccessfulCode),
        Case(226, .unsuccessfulCode), Case(400, .unsuccessfulCode), Case(503, .unsuccessfulCode),
        Case(301, .circularRedirect, headers: "Location: http://127.0.0.1:1/elsewhere\r\n"),
        Case(307, .circularRedirect, headers: "Location: /\r\n"), Case(300, .unsuccessfulCode),
        Case(.answersAndCloses("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .prematureClose),
        Case(.answersAndCloses("HTTP/1.1 200 O"), .noResponse),
        Case(.answersAndCloses("SSH-2.0-OpenSSH_9.9\r\n"), .invalidResponse),
        Case(.closes, .noResponse), Case(.resets, .socketIssue), Case(.saysNothing, .timedOut),
        Case(.answers("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .timedOut),
    ]

    private func result(_ url: String, patience: TimeAmount = .seconds(30)) async throws -> SendAttempt.Result {
        let client = NotificationSender.makeClient(connections: 1, patience: .seconds(30))
        let sender = NotificationSender(url: url, client: client, patience: patience)
        let result = await sender.send(try LifecycleFactory().testNotification())
        try await client.shutdown()
        return result
    }

    @Test(arguments: Self.cases) func isCalledAsAppleCallsIt(_ example: Case) async throws {
        try await RawServer.with(example.behaviour) { server in
            let patience: TimeAmount = example.result == .timedOut ? .milliseconds(300) : .seconds(30)
            let result = try await self.result("http://127.0.0.1:\(server.port)/", patience: patience)
            #expect(result == example.result)
        }
    }

    @Test func aPortThatNobodyListensOnIsASocketIssue() async throws {
        let port = try await RawServer.with(.closes) { $0.port }
        let result = try await self.result("http://127.0.0.1:\(port)/")
        #expect(result == .socketIssue)
    }

    @Test func aServerWithoutTLSIsATLSIssue() async throws {
        try await RawServer.with(.answers("HTTP/1.1 400 Bad Request\r\n\r\n")) { server in
            let result = try await self.result("https://127.0.0.1:\(server.port)/")
            #expect(result == .tlsIssue)
        }
    }
}
