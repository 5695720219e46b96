import Foundation
import HTTPAPI
import HTTPTypes
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// Subscriptions and purchases, from a backend's post to every way of reading them.
@Suite struct StreamTests {
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func post(
        _ node: Node, _ transaction: String, renewal: String? = nil, customer: String? = nil
    ) async throws -> HTTPConnection.Answer {
        var body = ["signedTransaction": transaction]
        body["signedRenewalInfo"] = renewal
        body["customerId"] = customer
        return try await node.send(
            "POST", "/v1/transactions",
            body: String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self))
    }

    @Test func aSubscriptionHasEveryFieldOfTheContract() async throws {
        try await Node.run { node in
            let bought = Moment.now
            let posted = try await self.post(node, try self.store.transaction(id: "77", purchased: bought))
            let shown = try await node.send("GET", "/v1/subscriptions/77")

            #expect(posted.status == 200)
            #expect(shown.status == 200)
            let fields: Set = [
                "originalTransactionId", "bundleId", "environment", "state", "entitled", "validUntil", "productId",
                "subscriptionGroupIdentifier", "transactionId", "purchaseDate", "originalPurchaseDate", "expiresDate",
                "gracePeriodExpiresDate", "recentSubscriptionStartDate", "ownership", "autoRenew", "renewalProductId",
                "awaitingRenewal", "expirationIntent", "priceIncrease", "offer", "nextOffer", "revocation",
                "appAccountToken", "code", "version", "asOf", "stale", "token", "storefront", "renewalDate",
                "renewalPrice", "currency", "appTransactionId", "customerIds", "commitment", "eligibleWinBackOfferIds",
                "supersededBy", "incomplete",
            ]
            for answer in [posted, shown] {
                let json = answer.json
                #expect(fields.isSubset(of: json.keys), "missing: \(fields.subtracting(json.keys))")
                #expect(json["originalTransactionId"] as? String == "77")
                #expect(json["environment"] as? String == "Production")
                #expect(json["bundleId"] as? String == TestStore.apps[0])
                #expect(json["state"] as? String == "subscribed")
                #expect(json["entitled"] as? Bool == true)
                #expect(json["productId"] as? String == "pro.monthly")
                #expect(json["purchaseDate"] as? String == bought.rfc3339)
                #expect(json["expiresDate"] as? String == (bought + .days(30)).rfc3339)
                #expect(json["validUntil"] as? String == (bought + .days(30) + .hours(2)).rfc3339)
                #expect(json["autoRenew"] is NSNull)
                #expect(json["revocation"] is NSNull)
                #expect(json["code"] as? String == "5.0")
                #expect(json["version"] as? Int == 1)
                #expect(json["stale"] as? Bool == false)
                #expect((json["token"] as? String)?.isEmpty == false)
            }
        }
    }

    @Test func aCustomerIsLinked() async throws {
        try await Node.run { node in
            let transaction = try self.store.transaction(id: "77")
            let answer = try await self.post(
                node, transaction, renewal: try self.store.renewal(id: "77"), customer: "customer/ü..1")

            #expect(answer.json["customerIds"] as? [String] == ["customer/ü..1"])
            #expect(answer.json["autoRenew"] as? Bool == true)
            let events = try await node.send("GET", "/v1/subscriptions/77/events").json["events"] as? [[String: Any]]
            #expect(events?.contains { ($0["changes"] as? [String])?.contains("linked") == true } == true)
        }
    }

    @Test(arguments: [
        ("{}", 400, "malformedBody"), (#"{"signedTransaction":7}"#, 400, "malformedBody"), ("no", 400, "malformedBody"),
        (#"{"signedTransaction":"x"}x"#, 400, "malformedBody"),
        (#"{"signedTransaction":"","customerId":"c"}"#, 400, "malformedBody"),
        (#"{"signedTransaction":"x","customerId":"a\u0000b"}"#, 400, "malformedBody"),
        (#"{"signedTransaction":"x","customerId":"a\nb"}"#, 400, "invalidCustomerId"),
        (#"{"signedTransaction":"\#(String(repeating: "x", count: 20))"}"#, 422, "INVALID_JWT_FORMAT"),
    ])
    func refusesTransactionsThatAreNone(_ body: String, _ status: Int, _ code: String) async throws {
        try await Node.run { node in
            let answer = try await node.send("POST", "/v1/transactions", body: body)

            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    @Test func `an empty customer is none, and an empty renewal info too`() async throws {
        try await Node.run { node in
            let transaction = try self.store.transaction(id: "78")
            let answer = try await node.send(
                "POST", "/v1/transactions",
                body: #"{"signedTransaction":"\#(transaction)","signedRenewalInfo":"","customerId":""}"#)

            #expect(answer.status == 200)
            #expect(answer.json["customerIds"] as? [String] == [])
        }
    }

    @Test func refusesCustomersOfMoreThan128Bytes() async throws {
        try await Node.run { node in
            let answer = try await self.post(node, "x", customer: String(repeating: "ü", count: 65))

            #expect(answer.status == 400)
            #expect(answer.code == "invalidCustomerId")
        }
    }

    @Test func unknownIdsAreNotFound() async throws {
        try await Node.run { node in
            let subscription = try await node.send("GET", "/v1/subscriptions/404")
            let purchase = try await node.send("GET", "/v1/purchases/404")

            #expect(subscription.status == 404)
            #expect(subscription.code == "unknownSubscription")
            #expect(purchase.status == 404)
            #expect(purchase.code == "unknownPurchase")
            #expect(try await node.send("GET", "/v1/subscriptions/404/events").status == 404)
            #expect(try await node.send("GET", "/v1/subscriptions/404/explain").status == 404)
        }
    }

    @Test func environmentsAreApart() async throws {
        try await Node.run { node in
            _ = try await self.post(node, try self.store.transaction(id: "5", environment: "Sandbox"))

            #expect(try await node.send("GET", "/v1/subscriptions/5").status == 404)
            let answer = try await node.send("GET", "/v1/subscriptions/5?environment=Sandbox")
            #expect(answer.status == 200)
            #expect(answer.json["environment"] as? String == "Sandbox")
        }
    }

    @Test func anIdOfTwoAppsNeedsItsBundle() async throws {
        try await Node.run { node in
            for app in TestStore.apps {
                _ = try await self.post(node, try self.store.transaction(id: "6", bundleID: app))
            }

            let answer = try await node.send("GET", "/v1/subscriptions/6")

            #expect(answer.status == 409)
            #expect(answer.code == "ambiguous")
            let one = try await node.send("GET", "/v1/subscriptions/6?bundleId=com.example.other")
            #expect(one.status == 200)
            #expect(one.json["bundleId"] as? String == "com.example.other")
        }
    }

    @Test func aPurchaseIsOwned() async throws {
        try await Node.run { node in
            let answer = try await self.post(node, try self.store.transaction(id: "8", type: "Non-Consumable"))

            #expect(answer.json["state"] as? String == "owned")
            #expect(answer.json["validUntil"] is NSNull)
            #expect(try await node.send("GET", "/v1/purchases/8").json["entitled"] as? Bool == true)
            #expect(try await node.send("GET", "/v1/purchases/8/events").status == 200)
            #expect(try await node.send("GET", "/v1/subscriptions/8").status == 404)
        }
    }

    @Test func `a consumable is owned and gives no access`() async throws {
        try await Node.run { node in
            let answer = try await self.post(node, try self.store.transaction(id: "11", type: "Consumable"))

            for purchase in [answer.json, try await node.send("GET", "/v1/purchases/11").json] {
                #expect(purchase["state"] as? String == "owned")
                #expect(purchase["type"] as? String == "Consumable")
                #expect(purchase["entitled"] as? Bool == false)
                #expect(purchase["validUntil"] is NSNull)
                #expect(purchase["code"] as? String == "0.0")
            }
        }
    }

    @Test func thePastIsAnsweredAndTheFutureIsNot() async throws {
        try await Node.run { node in
            let bought = Moment.now - .days(10)
            _ = try await self.post(node, try self.store.transaction(id: "9", purchased: bought))

            let then = (bought + .days(1)).rfc3339.replacing("Z", with: "+00:00")
            let during = try await node.send("GET", "/v1/subscriptions/9?at=\(then)")
            #expect(during.json["state"] as? String == "subscribed")
            let before = try await node.send("GET", "/v1/subscriptions/9?knownAt=\((bought + .days(1)).rfc3339)")
            #expect(before.status == 200)
            #expect(before.json["state"] is NSNull)
            #expect(before.json["entitled"] as? Bool == false)
            #expect(before.json["validUntil"] is NSNull)
            for name in ["at", "knownAt"] {
                let future = try await node.send(
                    "GET", "/v1/subscriptions/9?\(name)=\((Moment.now + .days(1)).rfc3339)")
                #expect(future.status == 400)
                #expect(future.code == "futureMoment")
            }
        }
    }

    /// An explanation is given by all that is known now, so it has no `knownAt`.
    @Test(arguments: Route.all.filter { $0.method == .get && $0.path.contains("{originalTransactionId}") }.map(\.path))
    func `a listed moment of the past is taken`(_ path: String) async throws {
        try await Node.run { node in
            let bought = Moment.now - .days(10)
            _ = try await self.post(node, try self.store.transaction(id: "9", purchased: bought))
            let route = try #require(Route.all.first { $0.method == .get && $0.path == path })
            let target = path.replacing("{originalTransactionId}", with: "9")
            for name in ["at", "knownAt"] {
                let answer = try await node.send("GET", "\(target)?\(name)=\((bought + .days(1)).rfc3339)")
                #expect((answer.status != 400) == route.parameters.contains(name), "\(name)")
            }
        }
    }

    @Test func aTokenIsTakenBackAndOthersAreNot() async throws {
        try await Node.run { node in
            let token = try #require(
                try await self.post(node, try self.store.transaction(id: "10")).json["token"] as? String)

            for consistency in ["local", "owner", "durable"] {
                let path = "/v1/subscriptions/10?consistency=\(consistency)"
                #expect(try await node.send("GET", path, headers: ["Perennial-At-Least": token]).status == 200)
            }
            let other = try await node.send("GET", "/v1/subscriptions/10", headers: ["Perennial-At-Least": "nonsense"])
            #expect(other.status == 400)
            #expect(other.code == "invalidCursor")
        }
    }

    @Test func tokensAndCursorsOfAnotherStoreAreNoticed() async throws {
        let (token, cursor) = try await Node.run { node in
            let token = try await self.post(node, try self.store.transaction(id: "10")).json["token"] as? String
            return (try #require(token), try #require(try await node.send("GET", "/v1/events").json["next"] as? String))
        }
        try await Node.run { node in
            _ = try await self.post(node, try self.store.transaction(id: "10"))
            let read = try await node.send("GET", "/v1/subscriptions/10", headers: ["Perennial-At-Least": token])
            let page = try await node.send("GET", "/v1/events?after=\(cursor)")

            for answer in [read, page] {
                #expect(answer.status == 409)
                #expect(answer.code == "storeRewound")
            }
        }
    }

    @Test func tokensAndCursorsAheadOfTheLogAreNoticed() async throws {
        // given: a store that has lost the second of two events
        let (whole, shorter) = (InMemoryEventStore(), InMemoryEventStore())
        let store = ReplaceableStore(whole)
        let transaction = try self.store.transaction(id: "10")
        let (token, cursor) = try await Node.run(store: store) { node in
            _ = try await self.post(node, transaction)
            let last = try await self.post(node, transaction, renewal: try self.store.renewal(id: "10"))
            #expect(last.json["version"] as? Int == 2)
            let page = try await node.send("GET", "/v1/events")
            return (try #require(last.json["token"] as? String), try #require(page.json["next"] as? String))
        }
        store.replace(by: shorter)
        try await Node.run(store: store) { node in
            _ = try await self.post(node, transaction)
            // when
            let read = try await node.send("GET", "/v1/subscriptions/10", headers: ["Perennial-At-Least": token])
            let page = try await node.send("GET", "/v1/events?after=\(cursor)")
            // then
            for answer in [read, page] {
                #expect(answer.status == 409)
                #expect(answer.code == "storeRewound")
            }
        }
    }

    @Test func eventsComeInPagesWithEvidenceOnRequest() async throws {
        try await Node.run { node in
            let bought = Moment.now - .days(1)
            let body = try self.store.notification(id: "11", purchased: bought)
            #expect(try await node.send("POST", "/v1/apple/notifications", body: body).status == 200)
            _ = try await self.post(
                node, try self.store.transaction(id: "11", purchased: bought), customer: "c1")

            let first = try await node.send("GET", "/v1/subscriptions/11/events?limit=1")
            let event = try #require((first.json["events"] as? [[String: Any]])?.first)
            #expect(event["version"] as? Int == 1)
            #expect(event["kind"] as? String == (event["changes"] as? [String])?.first)
            #expect(event["source"] as? String == "notification")
            #expect(event["notificationType"] as? String == "SUBSCRIBED")
            #expect(event["subtype"] as? String == "INITIAL_BUY")
            #expect(event["signedDate"] as? String == bought.rfc3339)
            #expect((event["notificationUUID"] as? String)?.count == 36)
            #expect(event["evidence"] == nil)
            let data = try #require(event["data"] as? [String: Any])
            let transaction = try #require((data["transactions"] as? [[String: Any]])?.first)
            #expect(transaction["productId"] as? String == "pro.monthly")
            #expect(transaction["purchaseDate"] as? String == bought.rfc3339)
            #expect((data["status"] as? [String: Any])?["status"] as? Int == 1)

            let next = try #require(first.json["next"] as? String)
            let second = try await node.send("GET", "/v1/subscriptions/11/events?after=\(next)")
            #expect((second.json["events"] as? [[String: Any]])?.first?["version"] as? Int == 2)
            #expect(second.json["next"] is NSNull)

            let full = try await node.send("GET", "/v1/subscriptions/11/events?evidence=true")
            let evidence = (full.json["events"] as? [[String: Any]])?.first?["evidence"] as? [String: Any]
            #expect(
                evidence?["signedPayload"] as? String
                    == body.split(separator: "\"").last { $0.count > 100 }.map(String.init))
        }
    }

    @Test(arguments: ["nonsense", "%00", "AAAA", "a.b"])
    func cursorsThatAreNoneAreRefused(_ cursor: String) async throws {
        try await Node.run { node in
            _ = try await self.post(node, try self.store.transaction(id: "12"))

            for path in ["/v1/events", "/v1/notifications", "/v1/subscriptions/12/events", "/v1/quarantine"] {
                let answer = try await node.send("GET", "\(path)?after=\(cursor)")
                #expect(answer.status == 400)
                #expect(["invalidCursor", "invalidParameter"].contains(answer.code))
            }
        }
    }

    @Test func theChangeStreamGoesOnWhereItEnded() async throws {
        try await Node.run { node in
            for id in 20..<25 { _ = try await self.post(node, try self.store.transaction(id: "\(id)")) }

            var seen: [String] = []
            var cursor = ""
            for _ in 0..<10 {
                let page = try await node.send("GET", "/v1/events?limit=2\(cursor)")
                let events = try #require(page.json["events"] as? [[String: Any]])
                #expect(events.count <= 2)
                seen += events.compactMap { ($0["stream"] as? [String: Any])?["id"] as? String }
                cursor = "&after=\(try #require(page.json["next"] as? String))"
                if events.isEmpty { break }
            }
            #expect(seen.sorted() == ["20", "21", "22", "23", "24"])

            _ = try await self.post(node, try self.store.transaction(id: "25"))
            let page = try await node.send("GET", "/v1/events?limit=2\(cursor)")
            let events = try #require(page.json["events"] as? [[String: Any]])
            #expect(events.compactMap { ($0["stream"] as? [String: Any])?["id"] as? String } == ["25"])
        }
    }

    @Test func aStateIsExplained() async throws {
        try await Node.run { node in
            _ = try await self.post(node, try self.store.transaction(id: "30"))

            let answer = try await node.send("GET", "/v1/subscriptions/30/explain")

            #expect((answer.json["subscription"] as? [String: Any])?["state"] as? String == "subscribed")
            let steps = try #require(answer.json["steps"] as? [[String: Any]])
            #expect(steps.first?["rule"] as? Int == 1)
            #expect(steps.allSatisfy { ($0["sentence"] as? String)?.isEmpty == false })
            let facts = steps.flatMap { $0["facts"] as? [[String: Any]] ?? [] }
            #expect(facts.contains { $0["transactionId"] as? String == "30" })
        }
    }
}
