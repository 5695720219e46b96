import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import ServiceContract
import Testing

/// Registered identifiers over HTTP.
@Suite struct RegistrationRouteTests {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"

    private static func run(_ body: @Sendable (Node) async throws -> Void) async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log, body)
    }

    private static func identifiers(_ answer: HTTPConnection.Answer) -> [String: [String]]? {
        answer.json["identifiers"] as? [String: [String]]
    }

    @Test func `what is registered is shown, found, and taken away again`() async throws {
        try await Self.run { node in
            let tokens = #"["\#(Self.token.uppercased())","\#(Self.token)"]"#
            let body = #"{"appAccountTokens":\#(tokens),"appTransactionIds":["7041"]}"#
            for _ in 0..<2 {
                let answer = try await node.send("PUT", "/v1/customers/u-1", body: body)
                #expect(answer.status == 200)
                #expect(
                    Self.identifiers(answer) == ["appAccountTokens": [Self.token], "appTransactionIds": ["7041"]])
            }
            #expect(try await node.send("GET", "/v1/customers/u-1").status == 200, "it is known by that alone")
            let device = try await node.send("GET", "/v1/customers/u-1/entitlements")
            #expect(device.json["identifiers"] == nil, "it goes to devices")
            for text in [Self.token, "7041"] {
                #expect(try await node.send("GET", "/v1/find?q=\(text)").json["customerId"] as? String == "u-1")
            }
            for path in ["tokens/\(Self.token.uppercased())", "app-transactions/7041", "app-transactions/unknown"] {
                #expect(try await node.send("DELETE", "/v1/customers/u-1/\(path)").status == 200, "\(path)")
            }
            let after = try await node.send("PUT", "/v1/customers/u-1", body: #"{"attributes":{"a":1}}"#)
            #expect(Self.identifiers(after) == ["appAccountTokens": [], "appTransactionIds": []])
            let page = try await node.send("GET", "/v1/events")
            let events = try #require(page.json["events"] as? [[String: Any]])
            let kinds = events.compactMap { $0["kind"] as? String }.filter { $0.hasPrefix("re") }
            // The first of the two is said once more by the repetition: until then its request could have taken it back.
            #expect(kinds.count { $0 == "registered" } == 3)
            #expect(kinds.count { $0 == "released" } == 2)
            let streams = events.compactMap { ($0["stream"] as? [String: Any])?["kind"] as? String }
            #expect(Set(streams) == ["token", "account", "customer"])
            #expect(!events.contains { "\($0["stream"] ?? "")".contains(Self.token) }, "keys hold hashes")
        }
    }

    @Test func `another customer's is 409, and of such a request nothing is done`() async throws {
        try await Self.run { node in
            _ = try await node.send("PUT", "/v1/customers/u-1", body: #"{"appTransactionIds":["7041"]}"#)
            let refused = try await node.send(
                "PUT", "/v1/customers/u-2",
                body: #"{"appAccountTokens":["\#(Self.token)"],"appTransactionIds":["7041"],"attributes":{"a":1}}"#)
            #expect(refused.status == 409 && refused.code == "tokenElsewhere")
            #expect(try await node.send("GET", "/v1/customers/u-2").status == 404, "nothing has been begun")
        }
    }

    @Test(
        arguments: [
            (#"{}"#, 400, "malformedBody"), (#"{"appAccountTokens":["x"]}"#, 400, "malformedBody"),
            (#"{"appAccountTokens":"x"}"#, 400, "malformedBody"),
            (#"{"appTransactionIds":[""]}"#, 400, "malformedBody"),
            (#"{"appTransactionIds":["a b"]}"#, 400, "malformedBody"), (#"{"appTokens":[]}"#, 400, "malformedBody"),
            (#"{"appTransactionIds":[1]}"#, 400, "malformedBody"),
        ])
    func `what cannot be registered gets a clear answer`(_ body: String, _ status: Int, _ code: String) async throws {
        try await Self.run { node in
            let answer = try await node.send("PUT", "/v1/customers/u-1", body: body)
            #expect(answer.status == status && answer.code == code)
            #expect(try await node.send("GET", "/v1/customers/u-1").status == 404)
        }
    }

    @Test func `a customer has room for 32 tokens and 16 app transactions`() async throws {
        try await Self.run { node in
            func put(_ name: String, _ texts: [String]) async throws -> HTTPConnection.Answer {
                let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
                return try await node.send("PUT", "/v1/customers/u-1", body: "{\"\(name)\":[\(list)]}")
            }
            let tokens = (100..<133).map { "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380\($0)" }
            #expect(try await put("appAccountTokens", tokens).code == "tooManyIdentifiers")
            #expect(try await put("appAccountTokens", Array(tokens.dropLast())).status == 200)
            let one = try await put("appAccountTokens", [tokens[32]])
            #expect(one.status == 422 && one.code == "tooManyIdentifiers")
            #expect(try await put("appAccountTokens", [tokens[0]]).status == 200, "it is there already")
            let accounts = (0..<17).map { "70\($0)" }
            #expect(try await put("appTransactionIds", accounts).code == "tooManyIdentifiers")
            #expect(try await put("appTransactionIds", Array(accounts.dropLast())).status == 200)
        }
    }

    @Test func `a store that older nodes may read registers nothing`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .customerMoves)
        try await Node.run(store: log) { node in
            let refused = try await node.send("PUT", "/v1/customers/a", body: #"{"appTransactionIds":["1"]}"#)
            #expect(refused.status == 409 && refused.code == "olderNodes")
            #expect(try await node.send("DELETE", "/v1/customers/a/app-transactions/1").code == "olderNodes")
        }
    }
}
