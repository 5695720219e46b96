import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// What people say of a customer over HTTP: grants and attributes.
@Suite struct GrantTests {
    private func run(
        level: FeatureLevel = .supported, _ body: @Sendable @escaping (Node) async throws -> Void
    ) async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: level)
        try await Node.run(store: log) { try await body($0) }
    }

    private func check(_ node: Node, _ item: String) async throws -> [String: Any] {
        let answer = try await node.send("POST", "/v1/check", body: #"{"checks":[\#(item)]}"#)
        #expect(answer.status == 200)
        return try #require((answer.json["results"] as? [[String: Any]])?.first)
    }

    private static let pro =
        #""entitlement":"pro","reason":"order 4711","source":"web""#

    @Test func `two grants that renew are shown as paid twice, and told with both`() async throws {
        try await self.run { node in
            for id in ["play", "web"] {
                let body = #"{\#(Self.pro),"until":"2999-01-01T00:00:00Z","renews":true}"#
                #expect(try await node.send("PUT", "/v1/customers/u-1/grants/\(id)", body: body).status == 200)
            }
            func shown() async throws -> [[String: Any]] {
                let customer = try await node.send("GET", "/v1/customers/u-1")
                return try #require(customer.json["duplicatePayments"] as? [[String: Any]])
            }
            try await eventually { try await !shown().isEmpty }
            func expectBoth(_ pair: [String: Any]?) {
                #expect(pair?["entitlement"] as? String == "pro" && pair?["since"] is String)
                let payments = pair?["payments"] as? [[String: Any]]
                #expect(payments?.map { $0["kind"] as? String } == ["grant", "grant"])
                #expect(payments?.map { $0["id"] as? String } == ["play", "web"])
                #expect(payments?.allSatisfy { $0["productId"] is NSNull } == true)
            }
            expectBoth(try await shown().first)
            func told(_ kind: String) async throws -> [String: Any]? {
                let events = try await node.send("GET", "/v1/events").json["events"] as? [[String: Any]]
                return events?.first { $0["kind"] as? String == kind }?["data"] as? [String: Any]
            }
            expectBoth(try await told("duplicatePayment"))
            // when
            _ = try await node.send("DELETE", "/v1/customers/u-1/grants/web")
            // then
            try await eventually { try await shown().isEmpty }
            expectBoth(try await told("duplicatePaymentClosed"))
        }
    }

    @Test func `a grant entitles a customer whom nothing else names, at once and until it is taken back`() async throws
    {
        try await self.run { node in
            let made = try await node.send(
                "POST", "/v1/customers/u%2F1/grants",
                body: #"{"id":"g/1",\#(Self.pro),"until":"2999-01-01T00:00:00Z","renews":true}"#)
            #expect(made.status == 201)
            #expect(made.json["id"] as? String == "g/1")
            #expect(made.json["until"] as? String == "2999-01-01T00:00:00.000Z")
            #expect(made.json["permanent"] as? Bool == false && made.json["renews"] as? Bool == true)
            #expect(made.json["revokedAt"] is NSNull)

            let token = try #require(made.json["token"] as? String)
            let shown = try await node.send("GET", "/v1/customers/u%2F1", headers: ["Perennial-At-Least": token])
            #expect(shown.status == 200)
            #expect((shown.json["grants"] as? [[String: Any]])?.map { $0["id"] as? String } == ["g/1"])
            let entitlements = try #require(shown.json["entitlements"] as? [[String: Any]])
            let pro = try #require(entitlements.first { $0["name"] as? String == "pro" })
            #expect(pro["entitled"] as? Bool == true)

            let result = try await self.check(node, #"{"customer":"u/1","entitlement":"pro"}"#)
            #expect(result["entitled"] as? Bool == true)
            #expect(result["state"] as? String == "granted" && result["code"] as? String == "2.0")
            #expect(result["validUntil"] as? String == "2999-01-01T00:00:00.000Z")
            let by = try #require(result["by"] as? [String: Any])
            #expect(by["kind"] as? String == "grant" && by["id"] as? String == "g/1")
            #expect(result["reason"] == nil, "the customer is known")
            let sandbox = try await self.check(node, #"{"customer":"u/1","environment":"Sandbox"}"#)
            #expect(sandbox["entitled"] as? Bool == false)

            for _ in 0..<2 {
                let revoked = try await node.send(
                    "DELETE", "/v1/customers/u%2F1/grants/g%2F1", headers: ["perennial-client": "t"])
                #expect(revoked.status == 200, "safe to repeat")
                #expect(revoked.json["revokedAt"] is String)
                let after = try await self.check(node, #"{"customer":"u/1"}"#)
                #expect(after["entitled"] as? Bool == false)
            }
        }
    }

    @Test func `a grant of the same id is made once, and replaced only by PUT`() async throws {
        try await self.run { node in
            let path = "/v1/customers/u/grants"
            let body = #"{"id":"g",\#(Self.pro),"permanent":true}"#
            #expect(try await node.send("POST", path, body: body).status == 201)
            let again = try await node.send("POST", path, body: body)
            #expect(again.status == 200)
            let other = #"{"id":"g",\#(Self.pro),"until":"2999-01-01T00:00:00Z"}"#
            let refused = try await node.send("POST", path, body: other)
            #expect(refused.status == 409 && refused.code == "grantExists")
            let replaced = try await node.send("PUT", path + "/g", body: other)
            #expect(replaced.status == 200)
            #expect(replaced.json["from"] as? String == again.json["from"] as? String, "it goes on")
            #expect(replaced.json["permanent"] as? Bool == false)
            let elsewhere = try await node.send("PUT", path + "/h", body: other)
            #expect(elsewhere.status == 400, "the path names another one")

            let drawn = try await node.send("POST", path, body: #"{\#(Self.pro),"permanent":true}"#)
            #expect(drawn.status == 201 && (drawn.json["id"] as? String)?.utf8.count == 36)
        }
    }

    @Test func `what no grant can be gets one clear answer, and nothing is recorded`() async throws {
        try await self.run { node in
            let long = String(repeating: "x", count: 101)
            let bodies: [(String, Int, String)] = [
                (#"{\#(Self.pro)}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"permanent":true,"until":"2999-01-01T00:00:00Z"}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"permanent":false}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"until":"tomorrow"}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"permanent":true,"environment":"Moon"}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"permanent":true,"id":"a b"}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"permanent":true,"id":"\#(long)"}"#, 400, "malformedBody"),
                (#"{"entitlement":"pro","source":"web","permanent":true}"#, 400, "malformedBody"),
                (#"{"entitlement":"pro","reason":"\#(long)","source":"web","permanent":true}"#, 400, "malformedBody"),
                (#"{"entitlement":"pro","reason":"a\nb","source":"web","permanent":true}"#, 400, "malformedBody"),
                (#"{"entitlement":"pro","reason":"a","source":"","permanent":true}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"permanent":true,"forever":true}"#, 400, "malformedBody"),
                (#"{\#(Self.pro),"until":"2001-01-01T00:00:00Z"}"#, 422, "invalidGrant"),
                (#"{\#(Self.pro),"from":"2999-01-02T00:00:00Z","until":"2999-01-01T00:00:00Z"}"#, 422, "invalidGrant"),
                (#"{"entitlement":"moon","reason":"a","source":"b","permanent":true}"#, 404, "unknownEntitlement"),
            ]
            for (body, status, code) in bodies {
                let answer = try await node.send("POST", "/v1/customers/u/grants", body: body)
                #expect(answer.status == status && answer.code == code, "\(body)")
            }
            for path in ["/v1/customers/a%0Ab/grants", "/v1/customers/\(long + long)/grants"] {
                let answer = try await node.send("POST", path, body: #"{\#(Self.pro),"permanent":true}"#)
                #expect(answer.status == 400 && answer.code == "invalidCustomerId")
            }
            let unknown = try await node.send(
                "DELETE", "/v1/customers/u/grants/g", headers: ["perennial-client": "t"])
            #expect(unknown.status == 404 && unknown.code == "unknownGrant")
            #expect(try await node.send("GET", "/v1/customers/u").code == "unknownCustomer")
        }
    }

    @Test func `a customer has fifty grants that live at most`() async throws {
        try await self.run { node in
            for number in 0..<50 {
                let made = try await node.send(
                    "PUT", "/v1/customers/u/grants/\(number)", body: #"{\#(Self.pro),"permanent":true}"#)
                #expect(made.status == 200)
            }
            let refused = try await node.send(
                "POST", "/v1/customers/u/grants", body: #"{\#(Self.pro),"permanent":true}"#)
            #expect(refused.status == 422 && refused.code == "tooManyGrants")
            _ = try await node.send("DELETE", "/v1/customers/u/grants/7", headers: ["perennial-client": "t"])
            let made = try await node.send(
                "POST", "/v1/customers/u/grants", body: #"{"id":"new",\#(Self.pro),"permanent":true}"#)
            #expect(made.status == 201)
            let grants = try await node.send("GET", "/v1/customers/u").json["grants"] as? [[String: Any]]
            #expect(grants?.count == 50 && grants?.contains { $0["id"] as? String == "7" } == false)
        }
    }

    @Test func `attributes are set, replaced and removed by name`() async throws {
        try await self.run { node in
            let path = "/v1/customers/u"
            let set = try await node.send(
                "PUT", path, body: #"{"attributes":{"plan":"gold","seats":5,"rate":1.5,"beta":true,"gone":null}}"#)
            #expect(set.status == 200)
            #expect((set.json["attributes"] as? [String: Any])?.count == 4)
            let changed = try await node.send("PUT", path, body: #"{"attributes":{"plan":null,"seats":-6e2}}"#)
            #expect(changed.body.contains(#""attributes":{"beta":true,"rate":1.5,"seats":-600}"#), "\(changed.body)")
            #expect(try await node.send("GET", path + "/entitlements").json["attributes"] == nil, "not for devices")

            let large = try await node.send(
                "PUT", "/v1/customers/v", body: #"{"attributes":{"a":1152921504606846976,"b":9007199254740994}}"#)
            #expect(large.body.contains(#"{"a":1152921504606846976,"b":9007199254740994}"#), "no digit is lost")

            let long = String(repeating: "x", count: 1_021)
            for (body, status, code) in [
                (#"{"attributes":{"long":"\#(long)"}}"#, 422, "invalidAttributes"), (#"{}"#, 400, "malformedBody"),
                (#"{"attributes":{"a b":1}}"#, 400, "malformedBody"),
                (#"{"attributes":{"a":[]}}"#, 400, "malformedBody"),
                (#"{"attributes":{"a":1e999}}"#, 400, "malformedBody"),
                (#"{"attributes":{"a":-9007199254740993}}"#, 400, "malformedBody"),
                (#"{"attributes":{"a":12345678901234567890}}"#, 400, "malformedBody"),
                (#"{"attributes":{"a":1,"a":2}}"#, 400, "malformedBody"),
                (#"{"attributes":[]}"#, 400, "malformedBody"), (#"{"appTokens":[]}"#, 400, "malformedBody"),
            ] {
                let answer = try await node.send("PUT", path, body: body)
                #expect(answer.status == status && answer.code == code, "\(body)")
            }
            let after = try await node.send("GET", path)
            #expect((after.json["attributes"] as? [String: Any])?.count == 3, "nothing has changed")
        }
    }

    @Test func `each change is an event of the customer's, and names who asked nowhere but there`() async throws {
        try await self.run { node in
            _ = try await node.send(
                "PUT", "/v1/customers/u-1/grants/g", body: #"{\#(Self.pro),"permanent":true}"#)
            _ = try await node.send("PUT", "/v1/customers/u-1", body: #"{"attributes":{"plan":"gold"}}"#)
            _ = try await node.send("DELETE", "/v1/customers/u-1/grants/g", headers: ["perennial-client": "t"])
            let page = try await node.send("GET", "/v1/events")
            // What the customer is told stands between them, when it was told.
            let events = try #require(page.json["events"] as? [[String: Any]])
                .filter { ($0["kind"] as? String)?.hasPrefix("entitlement") != true }
            #expect(events.map { $0["kind"] as? String } == ["granted", "attributesChanged", "grantRevoked"])
            let versions = events.compactMap { $0["version"] as? Int }
            #expect(versions.count == 3 && versions == versions.sorted())
            for event in events {
                #expect(event["source"] as? String == "person")
                let stream = try #require(event["stream"] as? [String: Any])
                #expect(stream["kind"] as? String == "customer")
                #expect((stream["id"] as? String)?.contains("u-1") == false)
                #expect(stream["environment"] is NSNull && stream["bundleId"] is NSNull)
                #expect((event["data"] as? [String: Any])?["customerId"] as? String == "u-1")
            }
            let data = events.compactMap { $0["data"] as? [String: Any] }
            #expect((data[0]["grant"] as? [String: Any])?["id"] as? String == "g")
            #expect((data[1]["attributes"] as? [String: Any])?["plan"] as? String == "gold")
            #expect(data[2]["grantId"] as? String == "g")
        }
    }

    @Test func `a store that older nodes may read takes none of it`() async throws {
        try await self.run(level: .customers) { node in
            let grant = try await node.send(
                "POST", "/v1/customers/u/grants", body: #"{\#(Self.pro),"permanent":true}"#)
            #expect(grant.status == 409 && grant.code == "olderNodes")
            let attributes = try await node.send("PUT", "/v1/customers/u", body: #"{"attributes":{"a":1}}"#)
            #expect(attributes.code == "olderNodes")
            #expect((try await node.send("GET", "/v1/events").json["events"] as? [Any])?.isEmpty == true)
            #expect(try await node.send("GET", "/v1/customers/u").code == "unknownCustomer")
        }
    }
}
