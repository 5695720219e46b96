import HTTPAPI
import NIOCore
import Testing

/// Connections that do not behave, and bounds on those that do.
@Suite struct ConnectionTests {
    @Test func answersWhatIsNotHTTP() async throws {
        try await Node.run { node in
            for text in ["hello\r\n\r\n", "GET /livez HTTP/1.1\r\nbad header\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n"] {
                try await HTTPConnection.with(port: node.port) { connection in
                    try await connection.send(text)
                    let answer = try await connection.answer()

                    #expect(answer.status == 400)
                    #expect(answer.code == "malformedRequest")
                    try await connection.waitForEnd()
                }
            }
        }
    }

    @Test func boundsHeaders() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send("GET /livez HTTP/1.1\r\nX: \(String(repeating: "a", count: 110_000))\r\n\r\n")
                let answer = try await connection.answer()

                #expect(answer.status == 431)
                #expect(answer.code == "malformedRequest")
                #expect(answer.headers["x-request-id"]?.isEmpty == false)
            }
        }
    }

    @Test func keepsAConnectionAndEndsItWhenAsked() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                #expect(try await connection.send("GET", "/livez").status == 200)
                #expect(try await connection.send("GET", "/nowhere").status == 404)
                let last = try await connection.send("GET", "/livez", headers: ["Connection": "Close"])
                #expect(last.headers["connection"] == "close")
                try await connection.waitForEnd()
            }
        }
    }

    @Test func answersRequestsThatCameTogetherInOrder() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await connection.answer().status == 200)
                #expect(try await connection.answer().status == 404)
                #expect(try await connection.answer().status == 200)
            }
        }
    }

    @Test(arguments: ["", "GET /livez HTT", "GET /livez HTTP/1.1\r\nHost: localhost\r\n"])
    func endsAConnectionWhoseHeadDoesNotCome(_ start: String) async throws {
        try await Node.run(configuration: Configuration.with { $0.headTimeout = .milliseconds(100) }) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                if !start.isEmpty { try await connection.send(start) }
                try await connection.waitForEnd()
            }
        }
    }

    @Test func endsAConnectionWhoseBodyDrips() async throws {
        try await Node.run(configuration: Configuration.with { $0.bodyTimeout = .milliseconds(200) }) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 1000\r\n\r\n{"
                )
                try await connection.waitForEnd()
            }
        }
    }

    @Test func endsAnIdleConnection() async throws {
        try await Node.run(configuration: Configuration.with { $0.idleTimeout = .milliseconds(100) }) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                #expect(try await connection.send("GET", "/livez").status == 200)
                try await connection.waitForEnd()
            }
        }
    }

    /// A request that is worked on until `end` is finished.
    private static func long(_ begun: AsyncStream<Void>.Continuation, until ended: AsyncStream<Void>) -> Route {
        Route(post: "/long") { body in
            begun.yield()
            for await _ in ended {}
            return body
        }
    }

    private static let longRequest =
        "POST /long HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

    @Test func turnsSurplusConnectionsAway() async throws {
        // given a connection with a request that is worked on
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await Node.run(
            configuration: Configuration.with { $0.connections = 1 },
            additionalRoutes: [Self.long(beginning, until: ended)]
        ) { node in
            try await HTTPConnection.with(port: node.port) { first in
                try await first.send(Self.longRequest)
                for await _ in begun { break }
                try await HTTPConnection.with(port: node.port) { second in
                    let answer = try await second.send("GET", "/livez")

                    #expect(answer.status == 503)
                    #expect(answer.code == "tooBusy")
                    #expect(answer.headers["retry-after"] == "1")
                    try await second.waitForEnd()
                }
                end.finish()
                #expect(try await first.answer().status == 200)
            }
        }
    }

    /// Lets others open connections until one has ended for them.
    private func knock(at node: Node, until held: HTTPConnection) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Some of these give way to the next one: a machine that is busy takes its time between head and answer.
            group.addTask { while !Task.isCancelled { _ = try? await node.send("GET", "/livez") } }
            try await held.waitForEnd()
            group.cancelAll()
        }
    }

    @Test(arguments: [
        "", "GET /livez HTT", "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    ])
    func `connections that ask for nothing give way to others`(_ start: String) async throws {
        let configuration = Configuration.with {
            $0.connections = 1
            // The node may take in one of the others first, and then nobody has to give way to this one.
            $0.surplusTimeout = .seconds(1)
        }
        try await Node.run(configuration: configuration) { node in
            try await HTTPConnection.with(port: node.port) { held in
                if !start.isEmpty { try await held.send(start) }
                try await self.knock(at: node, until: held)
            }
        }
    }

    @Test func `refusals wait in a flood, and give way to others`() async throws {
        let configuration = Configuration.with {
            $0.connections = 2
            $0.refusals = 1
            $0.refusalInterval = .seconds(3_600)
        }
        let forged = #"{"signedPayload": "a.b.c"}"#
        try await Node.run(configuration: configuration) { node in
            try await HTTPConnection.with(port: node.port) { first in
                #expect(try await first.send("POST", "/v1/apple/notifications", body: forged).status == 422)
                try await HTTPConnection.with(port: node.port) { second in
                    try await second.send(
                        "POST /v1/apple/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                            + "Content-Length: \(forged.utf8.count)\r\n\r\n\(forged)")
                    try await self.knock(at: node, until: second)
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a refusal that is held back is kept for no client that has gone`() async throws {
        let configuration = Configuration.with {
            $0.refusals = 1
            $0.refusalInterval = .seconds(3_600)
        }
        let forged = #"{"signedPayload": "a.b.c"}"#
        try await Node.run(configuration: configuration) { node in
            // given: the only refusal that is answered at once
            #expect(try await node.send("POST", "/v1/apple/notifications", body: forged).status == 422)
            try await HTTPConnection.with(port: node.port) { connection in
                // when: a client posts another one, and closes its side
                try await connection.send(
                    "POST /v1/apple/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(forged.utf8.count)\r\n\r\n\(forged)")
                try await connection.end(.halfClose)
                // then: so does the node, with no answer
                try await connection.waitForEnd()
            }
        }
    }

    @Test func `a client that closes its side after a request gets its answer`() async throws {
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await Node.run(additionalRoutes: [Self.long(beginning, until: ended)]) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(Self.longRequest)
                for await _ in begun { break }
                try await connection.end(.halfClose)
                end.finish()

                #expect(try await connection.answer().status == 200)
                try await connection.waitForEnd()
            }
        }
    }

    @Test func boundsRequestsInFlightButNotHealth() async throws {
        // given: a request that is worked on until we let it
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let question = #"{"checks":[{"subscription":"404"}]}"#
        try await Node.run(
            configuration: Configuration.with { $0.requests = 1 },
            additionalRoutes: [Self.long(beginning, until: ended)]
        ) { node in
            try await HTTPConnection.with(port: node.port) { holder in
                try await holder.send(Self.longRequest)
                for await _ in begun { break }
                try await HTTPConnection.with(port: node.port) { other in
                    for answer in [
                        try await other.send("POST", "/v1/check", body: question),
                        try await other.send("GET", "/v1/events"),
                    ] {
                        #expect(answer.status == 503)
                        #expect(answer.code == "tooBusy")
                        #expect(answer.headers["retry-after"] == "1")
                    }
                    #expect(try await other.send("GET", "/livez").status == 200)
                    #expect(try await other.send("GET", "/metrics").status == 200)
                    end.finish()
                    #expect(try await holder.answer().status == 200)
                    // Its place is free again, if not before its answer is here.
                    var check = try await other.send("POST", "/v1/check", body: question)
                    while check.status == 503 { check = try await other.send("POST", "/v1/check", body: question) }
                    #expect(check.status == 200)
                    #expect(try await other.send("GET", "/v1/events").status == 200)
                }
            }
        }
    }

    @Test func aClientThatKeepsItsBodyBackTakesNoPlace() async throws {
        try await Node.run(configuration: Configuration.with { $0.requests = 1 }) { node in
            try await HTTPConnection.with(port: node.port) { idle in
                try await idle.send(
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                        + "Expect: 100-continue\r\n\r\n")
                #expect(try await idle.answer().status == 100)
                try await HTTPConnection.with(port: node.port) { other in
                    // Often, because its request is under way a moment after we are asked for the body.
                    for _ in 0..<100 {
                        let answer = try await other.send("POST", "/v1/check", body: "{}")
                        #expect(answer.status == 400)
                    }
                    let answer = try await other.send("GET", "/v1/events")
                    #expect(answer.status == 200)
                }
                try await idle.send("{}")
                #expect(try await idle.answer().status == 400)
            }
        }
    }

    @Test func saysWhereItCannotListen() async throws {
        let configuration = Configuration.patient(outside: .init(host: "no-such-host.invalid"))

        let error = await #expect(throws: ConfigurationError.self) {
            try await Node.run(configuration: configuration) { _ in }
        }

        #expect(error?.description.hasPrefix("http.public: cannot listen on no-such-host.invalid:0: ") == true)
    }
}
