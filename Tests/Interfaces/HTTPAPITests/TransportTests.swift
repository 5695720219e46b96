import HTTPAPI
import SubscriptionService
import Testing

/// What happens before a route has anything to say.
@Suite struct TransportTests {
    @Test(arguments: [
        ("GET", "/", 404, "notFound"), ("GET", "/v1", 404, "notFound"), ("GET", "/livez/", 404, "notFound"),
        ("GET", "/v1/subscriptions", 404, "notFound"), ("GET", "/v1/subscriptions/", 404, "notFound"),
        ("GET", "/v1/subscriptions/1/events/2", 404, "notFound"), ("GET", "//livez", 404, "notFound"),
        ("DELETE", "/livez", 405, "methodNotAllowed"), ("GET", "/v1/check", 405, "methodNotAllowed"),
        ("OPTIONS", "/v1/transactions", 405, "methodNotAllowed"),
        ("PUT", "/v1/subscriptions/1", 405, "methodNotAllowed"),
        ("GET", "/v1/subscriptions/%zz", 400, "invalidParameter"),
        ("GET", "/v1/subscriptions/%ff", 400, "invalidParameter"),
        ("GET", "/v1/subscriptions/a%20b", 400, "invalidParameter"),
        ("GET", "/v1/subscriptions/a%00b", 400, "invalidParameter"),
        ("GET", "/v1/subscriptions/\(String(repeating: "9", count: 129))", 400, "invalidParameter"),
        ("GET", "/livez?x=1", 400, "invalidParameter"), ("GET", "/readyz?for=fun", 400, "invalidParameter"),
    ])
    func refusesWhatItDoesNotHave(_ method: String, _ path: String, _ status: Int, _ code: String) async throws {
        try await Node.run { node in
            let answer = try await node.send(method, path)

            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.json["status"] as? Int == status)
            #expect(answer.json["retryable"] as? Bool == false)
            #expect(answer.json["type"] as? String == "urn:perennial:problem:\(code)")
            #expect((answer.json["title"] as? String)?.isEmpty == false)
            #expect((answer.json["detail"] as? String)?.isEmpty == false)
        }
    }

    @Test func saysWhichMethodsAPathTakes() async throws {
        try await Node.run { node async throws in
            #expect(try await node.send("PATCH", "/v1/check").headers["allow"] == "POST")
            #expect(try await node.send("POST", "/livez").headers["allow"] == "GET, HEAD")
        }
    }

    @Test func answersHeadWithoutABody() async throws {
        try await Node.run { node in
            let answer = try await node.send("HEAD", "/livez")

            #expect(answer.status == 200)
            #expect(answer.headers["content-length"] == "18")
            #expect(answer.body.isEmpty)
        }
    }

    @Test(arguments: [
        ("abc-123_:./+=", true), (String(repeating: "a", count: 128), true),
        (String(repeating: "a", count: 129), false),
        ("a b", false), ("a\"b", false), ("ä", false),
    ])
    func echoesRequestIDsThatAreHarmless(_ id: String, _ isEchoed: Bool) async throws {
        try await Node.run { node in
            for path in ["/livez", "/nowhere"] {
                let answer = try await node.send("GET", path, headers: ["X-Request-Id": id])

                #expect((answer.headers["x-request-id"] == id) == isEchoed)
                #expect(answer.headers["x-request-id"]?.isEmpty == false)
            }
        }
    }

    @Test func makesRequestIDsThatDiffer() async throws {
        try await Node.run { node in
            let first = try await node.send("GET", "/livez").headers["x-request-id"]
            let second = try await node.send("GET", "/livez").headers["x-request-id"]

            #expect(first != second)
        }
    }

    @Test(arguments: ["/v1/events", "/v1/quarantine", "/v1/notifications", "/v1/subscriptions/1/events"])
    func boundsPages(_ path: String) async throws {
        try await Node.run { node in
            for limit in ["0", "-1", "1001", "1000000000", "99999999999999999999", "ten", "", "1.5"] {
                let answer = try await node.send("GET", "\(path)?limit=\(limit)")

                #expect(answer.status == 400)
                #expect(answer.code == "invalidParameter")
                #expect((answer.json["detail"] as? String)?.hasPrefix("limit:") == true)
            }
        }
    }

    @Test(arguments: [
        ("at", "2026-02-30T00:00:00Z"), ("at", "yesterday"), ("knownAt", "1796342400000"),
        ("environment", "production"),
        ("consistency", "strong"), ("bundleId", ""), ("bundleId", "a%20b"), ("knownat", "2026-01-01T00:00:00Z"),
    ])
    func namesTheParameterThatIsWrong(_ name: String, _ value: String) async throws {
        try await Node.run { node in
            let answer = try await node.send("GET", "/v1/subscriptions/1?\(name)=\(value)")

            #expect(answer.status == 400)
            #expect(answer.code == "invalidParameter")
            let detail = answer.json["detail"] as? String
            #expect(name == "knownat" ? detail?.contains("knownAt") == true : detail?.hasPrefix("\(name):") == true)
        }
    }

    @Test func refusesAParameterGivenTwice() async throws {
        try await Node.run { node in
            let answer = try await node.send("GET", "/v1/events?limit=1&limit=2")

            #expect(answer.status == 400)
            #expect(answer.json["detail"] as? String == "limit: given twice")
        }
    }

    /// What is no cursor is read as one as long as it is no longer than the longest.
    @Test(arguments: [(0, "invalidCursor"), (1, "invalidParameter")])
    func takesCursorsOfStoresWithManyShards(_ excess: Int, _ code: String) async throws {
        let text = String(repeating: "a", count: SubscriptionService.longestCursor + excess)
        let requests: [(String, [String: String])] = [
            ("/v1/events?after=\(text)", [:]),
            ("/v1/events", ["Accept": "text/event-stream", "Last-Event-ID": text]),
            ("/v1/subscriptions/1", ["Perennial-At-Least": text]),
        ]
        try await Node.run { node in
            for (path, headers) in requests {
                let answer = try await node.send("GET", path, headers: headers)

                #expect(answer.status == 400)
                #expect(answer.code == code)
            }
        }
    }
}
