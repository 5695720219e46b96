import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

@Suite struct CheckTests {
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    /// A node that knows subscription 1, and runs `body`.
    private func withSubscription(_ body: @Sendable @escaping (Node) async throws -> Void) async throws {
        try await self.withTransaction(try self.store.transaction(id: "1"), body)
    }

    private func withTransaction(
        _ transaction: String, _ body: @Sendable @escaping (Node) async throws -> Void
    ) async throws {
        try await Node.run { node in
            let posted = try await node.send(
                "POST", "/v1/transactions", body: #"{"signedTransaction":"\#(transaction)"}"#)
            #expect(posted.status == 200)
            try await body(node)
        }
    }

    @Test func answersEachCheckInItsPlace() async throws {
        try await self.withSubscription { node in
            let answer = try await node.send(
                "POST", "/v1/check",
                body: """
                    {"checks": [
                        {"subscription": "1"}, {"subscription": "404"}, {"customer": "c"},
                        {"subscription": "1", "entitlement": "pro"}, {"subscription": "1", "entitlement": "news"},
                        {"subscription": "1", "entitlement": "nothing"}, {"subscription": "a b"}, {},
                        {"subscription": "1", "environment": "Sandbox"}, {"subscription": "1", "environment": "Moon"},
                        {"subscription": "1", "bundleId": "com.example.other"}, {"subscription": "1", "customer": "c"}
                    ]}
                    """)

            #expect(answer.status == 200)
            let results = try #require(answer.json["results"] as? [[String: Any]])
            #expect(results.count == 12)
            #expect(
                results.map { $0["entitled"] as? Bool } == [
                    true, false, false, true, false, nil, nil, nil, false, nil, false, nil,
                ])
            let codes = results.map { ($0["error"] as? [String: Any])?["code"] as? String }
            #expect(
                codes == [
                    nil, nil, nil, nil, nil, "unknownEntitlement", "invalidCheck", "invalidCheck", nil,
                    "invalidCheck", nil, "invalidCheck",
                ])
            #expect(Set(results[0].keys) == ["entitled", "state", "code", "validUntil", "productId", "version"])
            #expect(results[0]["state"] as? String == "subscribed")
            #expect(results[0]["productId"] as? String == "pro.monthly")
            #expect(results[0]["version"] as? Int == 1)
            #expect(results[1]["reason"] as? String == "unknownSubscription")
            #expect(results[1]["state"] is NSNull)
            #expect(results[1]["validUntil"] is NSNull)
            #expect(results[4]["reason"] as? String == "otherProduct")
            #expect(answer.json["stale"] as? Bool == false)
            #expect((answer.json["asOf"] as? String)?.hasSuffix("Z") == true)
            #expect((answer.json["token"] as? String)?.isEmpty == false)
        }
    }

    @Test func anOddItemIsRefusedAlone() async throws {
        try await self.withSubscription { node in
            let answer = try await node.send(
                "POST", "/v1/check",
                body: """
                    {"checks": [
                        null, 1, "1", [{}], {"subscription": null}, {"subscription": {"id": [1]}},
                        {"subscription": true}, {"subscription": 1.0}, {"subscription": -1},
                        {"subscription": "1", "entitlement": 7}, {"subscription": "1", "environment": ["Production"]},
                        {"subscription": "1", "bundleId": {}}, {"subscription": 1}, {"subscription": "1"}
                    ]}
                    """)

            #expect(answer.status == 200)
            let results = try #require(answer.json["results"] as? [[String: Any]])
            let codes = results.map { ($0["error"] as? [String: Any])?["code"] as? String }
            #expect(codes == Array(repeating: "invalidCheck", count: 12) + [nil, nil])
            #expect(results.suffix(2).map { $0["entitled"] as? Bool } == [true, true])
        }
    }

    @Test("a member that is misspelt refuses the whole request, and is named with the nearest known one")
    func refusesUnknownMembers() async throws {
        try await self.withSubscription { node in
            for (body, name, nearest) in [
                (#"{"checks":[{"subscription":"1","entitelment":"gold"}]}"#, "entitelment", "entitlement"),
                (#"{"checks":[{"subscription":"1"},{"subscription":"1","bundleID":"a"}]}"#, "bundleID", "bundleId"),
                (#"{"checks":[{"subscription":"1"}],"consistncy":"owner"}"#, "consistncy", "consistency"),
                (#"{"checks":[{"purchas":"1"}]}"#, "purchas", "purchase"),
                (#"{"checks":[{"subscription":"1","entitelment":null}]}"#, "entitelment", "entitlement"),
                (#"{"checks":[{"subscription":"1"}],"consistncy":null}"#, "consistncy", "consistency"),
            ] {
                let answer = try await node.send("POST", "/v1/check", body: body)

                #expect(answer.status == 400)
                #expect(answer.code == "malformedBody")
                let detail = try #require(answer.json["detail"] as? String)
                #expect(detail.contains("\"\(name)\""))
                #expect(detail.contains("the nearest known one is \(nearest)"))
            }
        }
    }

    @Test("a name that is no misspelling is not repeated")
    func doesNotRepeatWhatItIsSent() async throws {
        try await Node.run { node in
            for name in [String(repeating: "x", count: 65), "a b", "\\u202e", ""] {
                let answer = try await node.send("POST", "/v1/check", body: #"{"checks":[],"\#(name)":1}"#)

                #expect(answer.status == 400)
                #expect(
                    answer.json["detail"] as? String
                        == "the body has an unknown member; known are checks, consistency")
            }
        }
    }

    @Test(
        "every posted body is refused for a member that it does not have",
        arguments: [
            ("POST", "/v1/transactions", #"{"signedTransaction":"a","signedRenewalinfo":"b"}"#, "signedRenewalInfo"),
            ("POST", "/v1/shards/1/move", #"{"too":"node-2"}"#, "to"),
            ("POST", "/v1/reconcile/backfill", #"{"form":"2026-01-01T00:00:00Z"}"#, "from"),
            ("POST", "/v1/webhooks", #"{"url":"https://example.com","type":["subscription.expired"]}"#, "types"),
            ("POST", "/v1/apple/test-notifications", #"{"bundle":"com.example.app"}"#, "bundleId"),
        ])
    func everyBodyIsStrict(_ method: String, _ path: String, _ body: String, _ nearest: String) async throws {
        try await Node.run { node in
            let answer = try await node.send(method, path, body: body)

            #expect(answer.status == 400)
            #expect(answer.code == "malformedBody")
            #expect((answer.json["detail"] as? String)?.contains("the nearest known one is \(nearest)") == true)
        }
    }

    @Test("a one-time purchase is asked about as such, also with the entitlement that its product grants")
    func answersPurchases() async throws {
        let unlock = try self.store.transaction(id: "1", type: "Non-Consumable")
        try await self.withTransaction(unlock) { node in
            let answer = try await node.send(
                "POST", "/v1/check",
                body: """
                    {"checks": [
                        {"purchase": "1"}, {"purchase": 1, "entitlement": "pro"}, {"purchase": "1", "entitlement": "news"},
                        {"purchase": "1", "bundleId": "com.example.app"}, {"purchase": "404"}, {"subscription": "1"},
                        {"purchase": "1", "subscription": "1"}, {"purchase": "1", "customer": "c"}, {"purchase": "a b"},
                        {"purchase": "1", "environment": "Sandbox"}
                    ]}
                    """)

            #expect(answer.status == 200)
            let results = try #require(answer.json["results"] as? [[String: Any]])
            #expect(
                results.map { $0["entitled"] as? Bool } == [
                    true, true, false, true, false, false, nil, nil, nil, false,
                ])
            #expect(
                results.map { $0["reason"] as? String } == [
                    nil, nil, "otherProduct", nil, "unknownPurchase", "unknownSubscription", nil, nil, nil,
                    "unknownPurchase",
                ])
            #expect(results[0]["state"] as? String == "owned")
            #expect(results[0]["validUntil"] is NSNull)
            #expect(
                (6...8).allSatisfy { (results[$0]["error"] as? [String: Any])?["code"] as? String == "invalidCheck" })
        }
    }

    @Test(arguments: ["local", "owner", "durable"])
    func knowsEveryConsistency(_ consistency: String) async throws {
        try await self.withSubscription { node in
            let answer = try await node.send(
                "POST", "/v1/check", body: #"{"consistency":"\#(consistency)","checks":[{"subscription":"1"}]}"#)
            let token = try #require(answer.json["token"] as? String)

            #expect((answer.json["results"] as? [[String: Any]])?.first?["entitled"] as? Bool == true)
            let again = try await node.send(
                "POST", "/v1/check", headers: ["Perennial-At-Least": token], body: #"{"checks":[{"subscription":"1"}]}"#
            )
            #expect(again.status == 200)
        }
    }

    @Test(arguments: [
        ("", "malformedBody"), ("[]", "malformedBody"), ("{}", "malformedBody"), (#"{"checks":{}}"#, "malformedBody"),
        (#"{"checks":[nul]}"#, "malformedBody"), (#"{"checks":[{"subscription":01}]}"#, "malformedBody"),
        (#"{"checks":[]} x"#, "malformedBody"), (#"{"checks":[],"checks":[]}"#, "malformedBody"),
        (#"{"checks":[],"consistency":"strong"}"#, "malformedBody"), (#"{"checks":[{"a":1,"a":2}]}"#, "malformedBody"),
    ])
    func refusesBodiesThatAreNoChecks(_ body: String, _ code: String) async throws {
        try await Node.run { node in
            let answer = try await node.send("POST", "/v1/check", body: body)

            #expect(answer.status == 400)
            #expect(answer.code == code)
        }
    }

    @Test func takesAThousandChecksAndNoMore() async throws {
        try await self.withSubscription { node in
            func body(_ count: Int) -> String {
                #"{"checks":["# + Array(repeating: #"{"subscription":"1"}"#, count: count).joined(separator: ",") + "]}"
            }

            let full = try await node.send("POST", "/v1/check", body: body(1_000))
            #expect(
                (full.json["results"] as? [[String: Any]])?.filter { $0["entitled"] as? Bool == true }.count == 1_000)
            let more = try await node.send("POST", "/v1/check", body: body(1_001))
            #expect(more.status == 413)
            #expect(more.code == "tooManyChecks")
            let none = try await node.send("POST", "/v1/check", body: body(0))
            #expect(none.status == 200)
            #expect((none.json["results"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a local check that memory can answer takes no place from those that wait for the store`() async throws {
        let store = SilentStore(InMemoryEventStore())
        let transaction = try self.store.transaction(id: "1")
        try await Node.run(store: store, configuration: .with { $0.requests = 1 }) { node in
            // given: the only place is taken by a request that waits
            _ = try await node.send("POST", "/v1/transactions", body: #"{"signedTransaction":"\#(transaction)"}"#)
            let question = #"{"checks":[{"subscription":"1"}]}"#
            let token = try #require(
                try await node.send("POST", "/v1/check", body: question).json["token"] as? String)
            store.fallSilent()
            defer { store.speak() }
            try await HTTPConnection.with(port: node.port) { holder in
                try await holder.send("GET /v1/subscriptions/1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while store.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
                // when, then
                for headers in [[:], ["Perennial-At-Least": token]] {
                    let answer = try await node.send("POST", "/v1/check", headers: headers, body: question)
                    #expect(answer.status == 200)
                    #expect((answer.json["results"] as? [[String: Any]])?.first?["entitled"] as? Bool == true)
                }
                // and what has to wait needs a place
                let cold = try await node.send("POST", "/v1/check", body: #"{"checks":[{"subscription":"2"}]}"#)
                #expect(cold.status == 503)
                #expect(cold.code == "tooBusy")
                store.speak()
                #expect(try await holder.answer().status == 200)
            }
        }
    }
}
