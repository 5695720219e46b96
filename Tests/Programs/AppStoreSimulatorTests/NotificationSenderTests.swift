import AppStoreSimulator
import AsyncHTTPClient
import Hummingbird
import NIOCore
import PerennialTestSupport
import Synchronization
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

    private func result(_ urls: String..., patience: TimeAmount = .seconds(30)) async throws -> SendAttempt.Result {
        try await self.results(1, urls, patience: patience)[0]
    }

    /// Of as many notifications, one after the other.
    private func results(
        _ count: Int, _ urls: [String], patience: TimeAmount = .seconds(30)
    ) async throws -> [SendAttempt.Result] {
        let client = NotificationSender.makeClient(connections: 1, patience: .seconds(30))
        let sender = NotificationSender(urls: urls, client: client, patience: patience)
        let notification = try LifecycleFactory().testNotification()
        var results: [SendAttempt.Result] = []
        for _ in 0..<count { results.append(await sender.send(notification)) }
        try await client.shutdown()
        return results
    }

    @Test(arguments: Self.cases) func isCalledAsAppleCallsIt(_ example: Case) async throws {
        try await RawServer.with(example.behaviour) { server in
            let patience: TimeAmount = example.result == .timedOut ? .milliseconds(300) : .seconds(30)
            let result = try await self.result("http://127.0.0.1:\(server.port)/", patience: patience)
            #expect(result == example.result)
        }
    }

    @Test func aPortThatNobodyListensOnIsASocketIssue() async throws {
        let result = try await self.result("http://127.0.0.1:1/")
        #expect(result == .socketIssue)
    }

    @Test func aServerWithoutTLSIsATLSIssue() async throws {
        try await RawServer.with(.answers("HTTP/1.1 400 Bad Request\r\n\r\n")) { server in
            let result = try await self.result("https://127.0.0.1:\(server.port)/")
            #expect(result == .tlsIssue)
        }
    }

    /// Answers each notification by its number, 1 for the first, and counts them.
    private final class Address: Sendable {
        private let status: @Sendable (_ number: Int) -> HTTPResponse.Status
        private let count = Mutex(0)

        init(_ status: @escaping @Sendable (_ number: Int) -> HTTPResponse.Status) { self.status = status }

        var asked: Int { self.count.withLock { $0 } }

        func serve<Result>(_ body: (_ url: String) async throws -> Result) async throws -> Result {
            let router = Router()
            router.post("/") { _, _ in
                self.status(
                    self.count.withLock { count in
                        count += 1
                        return count
                    })
            }
            return try await router.serve { try await body("\($0)/") }
        }
    }

    @Test("what one address does not take goes to the next, and what follows goes there at once")
    func goesToTheNextAddress() async throws {
        // given
        let refusing = Address { _ in .serviceUnavailable }
        let (taking, spare) = (Address { _ in .ok }, Address { _ in .ok })
        try await refusing.serve { first in
            try await taking.serve { second in
                try await spare.serve { third in
                    // when
                    let results = try await self.results(3, [first, second, third])
                    // then
                    #expect(results == [.success, .success, .success])
                }
            }
        }
        #expect([refusing.asked, taking.asked, spare.asked] == [1, 3, 0])
    }

    @Test("after the last address comes the first")
    func comesBackToTheFirstAddress() async throws {
        // given: two that take turns
        let first = Address { $0 == 1 ? .serviceUnavailable : .ok }
        let second = Address { $0 == 1 ? .ok : .serviceUnavailable }
        try await first.serve { one in
            try await second.serve { other in
                // when
                let results = try await self.results(2, [one, other])
                // then
                #expect(results == [.success, .success])
            }
        }
        #expect([first.asked, second.asked] == [2, 2])
    }

    @Test("what nobody takes fails as at the last address")
    func failsAsAtTheLastAddress() async throws {
        // given
        let nobody = "http://127.0.0.1:1/"
        try await Address { _ in .serviceUnavailable }.serve { refusing in
            // when
            let answered = try await self.result(nobody, refusing)
            let unanswered = try await self.result(refusing, nobody)
            // then
            #expect(answered == .unsuccessfulCode)
            #expect(unanswered == .socketIssue)
        }
    }
}
