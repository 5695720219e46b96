import AppStore
import Foundation
import Subscriptions
import Testing

/// What operators have a node ask Apple for.
@Suite struct AppleRequestTests {
    struct Request: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: String?
        var testDescription: String { "\(self.method) \(self.path) \(self.body ?? "")" }

        init(_ method: String, _ path: String, _ body: String? = nil) {
            self.method = method
            self.path = path
            self.body = body
        }
    }

    @Test(
        "a node that is not to ask Apple says so",
        arguments: [
            Request("POST", "/v1/apple/test-notifications", "{}"),
            Request("GET", "/v1/apple/test-notifications/ab-1_1700000000000"),
            Request(
                "POST", "/v1/reconcile/backfill", #"{"from":"2026-11-01T00:00:00Z","to":"2026-11-02T00:00:00Z"}"#),
            Request("POST", "/v1/reconcile/run"), Request("GET", "/v1/reconcile/jobs/1"),
            Request("GET", "/v1/reconcile/report"), Request("POST", "/v1/subscriptions/1/refresh"),
            Request("POST", "/v1/subscriptions/1/extend", #"{"days":3,"reason":"other"}"#),
            Request("PUT", "/v1/subscriptions/1/consumption", ConsumptionBody.valid),
            Request("PUT", "/v1/purchases/1/consumption", ConsumptionBody.valid),
        ])
    func needsTheConfiguration(_ request: Request) async throws {
        try await Node.run { node in
            let answer = try await node.send(request.method, request.path, body: request.body)

            #expect(answer.status == 409)
            #expect(answer.code == "notConfigured")
            #expect(answer.json["retryable"] as? Bool == false)
        }
    }

    private static let backfill = "/v1/reconcile/backfill"
    private static let extend = "/v1/subscriptions/1/extend"
    private static let tell = "/v1/subscriptions/1/consumption"

    @Test(
        "a body that is not one names what is wrong",
        arguments: [
            (Request("POST", "/v1/apple/test-notifications", "[]"), "wrong type"),
            (Request("POST", "/v1/apple/test-notifications", #"{"environment":"Prod"}"#), "environment is none of"),
            (Request("POST", "/v1/apple/test-notifications", #"{"bundleId":""}"#), "bundleId is not 1 to 128"),
            (Request("POST", "/v1/apple/test-notifications", #"{"token":"a"}"#), "known are bundleId, environment"),
            (Request("POST", Self.backfill, "{}"), "from is missing"),
            (Request("POST", Self.backfill, #"{"from":"2026-11-01T00:00:00Z"}"#), "to is missing"),
            (Request("POST", Self.backfill, #"{"from":"1","to":"2026-11-01T00:00:00Z"}"#), "from is not an RFC 3339"),
            (Request("POST", Self.backfill, #"{"from":1,"to":2}"#), "wrong type"),
            (Request("POST", Self.backfill, #"{"until":1}"#), "known are from, to, bundleId, environment"),
            (Request("POST", Self.extend, "{}"), "days is missing"),
            (Request("POST", Self.extend, #"{"days":3}"#), "reason is missing"),
            (Request("POST", Self.extend, #"{"days":0,"reason":"other"}"#), "days is not 1 to 90"),
            (Request("POST", Self.extend, #"{"days":91,"reason":"other"}"#), "days is not 1 to 90"),
            (Request("POST", Self.extend, #"{"days":3.5,"reason":"other"}"#), "not an integer"),
            (
                Request("POST", Self.extend, #"{"days":3,"reason":"OTHER"}"#),
                "reason is none of undeclared, customerSatisfaction, other, serviceIssue"
            ),
            (
                Request("POST", Self.extend, #"{"days":3,"reason":"other","requestIdentifier":"a b"}"#),
                "requestIdentifier is not 1 to 128"
            ),
            (Request("PUT", Self.tell, "{}"), "customerConsented is missing"),
            (Request("PUT", Self.tell, ConsumptionBody.replacing("true", "false")), "without consent"),
            (Request("PUT", Self.tell, ConsumptionBody.replacing("\"DELIVERED\"", "0")), "wrong type"),
            (
                Request("PUT", Self.tell, ConsumptionBody.replacing("DELIVERED", "LOST")),
                "deliveryStatus is none of DELIVERED,"
            ),
            (
                Request(
                    "PUT", Self.tell, ConsumptionBody.replacing("false}", "false,\"consumptionPercentage\":100001}")),
                "consumptionPercentage is not 0 to 100000"
            ),
            (
                Request(
                    "PUT", Self.tell,
                    ConsumptionBody.replacing("false}", "false,\"consumptionPercentage\":1}")
                        .replacing("DELIVERED", with: "UNDELIVERED_OTHER")),
                "consumptionPercentage is 0 for what was not delivered"
            ),
            (
                Request("PUT", Self.tell, ConsumptionBody.replacing("false}", "false,\"refundPreference\":\"YES\"}")),
                "refundPreference is none of DECLINE, GRANT_FULL, GRANT_PRORATED"
            ),
            (
                Request("PUT", Self.tell, ConsumptionBody.replacing("false}", "false,\"transactionId\":\"a b\"}")),
                "transactionId is not 1 to 128"
            ),
            (
                Request("PUT", Self.tell, ConsumptionBody.replacing("false}", "false,\"userStatus\":1}")),
                "unknown member"
            ),
            (
                Request("PUT", Self.tell, ConsumptionBody.replacing("false}", "false,\"userStatus\":null}")),
                "unknown member"
            ),
        ])
    func refusesBodies(_ request: Request, _ detail: String) async throws {
        try await Node.run { node in
            let answer = try await node.send(request.method, request.path, body: request.body)

            #expect(answer.status == 400)
            #expect(answer.code == "malformedBody")
            #expect((answer.json["detail"] as? String)?.contains(detail) == true, "\(answer.body)")
        }
    }

    @Test("a path or query that is not one names what is wrong")
    func refusesParameters() async throws {
        try await Node.run { node in
            let token = try await node.send("GET", "/v1/apple/test-notifications/a%20b")
            let environment = try await node.send("POST", "/v1/subscriptions/1/refresh?environment=Prod")
            let id = try await node.send("POST", "/v1/subscriptions/a%20b/refresh")
            let other = try await node.send("POST", "/v1/subscriptions/1/refresh?at=2026-11-01T00:00:00Z")

            for answer in [token, environment, id, other] {
                #expect(answer.status == 400)
                #expect(answer.code == "invalidParameter")
            }
        }
    }

    private static func signedPayload(in body: String) throws -> String {
        let members = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String]
        return try #require(members?["signedPayload"])
    }

    @Test("a test notification is asked for, and told of as Apple tells")
    func testsNotifications() async throws {
        // given: Apple could not deliver it
        let sent = try Self.signedPayload(in: TestStore.shared.get().testNotification())
        let apple = ScriptedApple([
            "POST /v1/notifications/test": .init(body: #"{"testNotificationToken":"ab-1"}"#),
            "GET /v1/notifications/test/ab-1": .init(
                body: """
                    {"signedPayload":"\(sent)","sendAttempts":[\
                    {"attemptDate":1700000000000,"sendAttemptResult":"TLS_ISSUE"}]}
                    """),
        ])
        try await Node.run(apple: apple) { node in
            // when
            let begun = try await node.send("POST", "/v1/apple/test-notifications", body: "{}")
            let told = try await node.send("GET", "/v1/apple/test-notifications/ab-1")
            let elsewhere = try await node.send("GET", "/v1/apple/test-notifications/ab-1?environment=Sandbox")
            // then
            #expect(begun.status == 202)
            #expect(begun.json as? [String: String] == ["token": "ab-1"])
            #expect(told.status == 200)
            #expect(Set(told.json.keys) == ["state", "attempts"])
            #expect(told.json["state"] as? String == "failed")
            #expect(
                told.json["attempts"] as? [[String: String]] == [
                    ["date": "2023-11-14T22:13:20.000Z", "result": "TLS_ISSUE"]
                ])
            #expect(elsewhere.code == "notConfigured")
        }
    }

    @Test("what Apple refuses for good is told with Apple's words and code")
    func tellsRefusals() async throws {
        let apple = ScriptedApple([
            "POST /v1/notifications/test": .init(
                status: 404, body: #"{"errorCode":4040007,"errorMessage":"No App Store Server Notification URL."}"#)
        ])
        try await Node.run(apple: apple) { node in
            let answer = try await node.send("POST", "/v1/apple/test-notifications", body: "{}")

            #expect(answer.status == 422)
            #expect(answer.code == "appStoreRefused")
            let detail = try #require(answer.json["detail"] as? String)
            #expect(detail.contains("No App Store Server Notification URL."))
            #expect(detail.contains("4040007"))
        }
    }

    @Test("trouble of Apple's passes, and says when to come again")
    func tellsTrouble() async throws {
        let apple = ScriptedApple([
            "POST /v1/notifications/test": .init(status: 500, body: #"{"errorCode":5000000,"errorMessage":"Unknown."}"#)
        ])
        try await Node.run(apple: apple) { node in
            let answer = try await node.send("POST", "/v1/apple/test-notifications", body: "{}")

            #expect(answer.status == 503)
            #expect(answer.code == "appStoreUnavailable")
            #expect(answer.json["retryable"] as? Bool == true)
            #expect(answer.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    @Test("a backfill is a job that can be followed to its end")
    func backfills() async throws {
        let store = try TestStore.shared.get()
        let payload = try Self.signedPayload(in: store.notification(id: "77", purchased: .now - .days(1)))
        let apple = ScriptedApple([
            "POST /v1/notifications/history": .init(
                body: """
                    {"notificationHistory":[{"signedPayload":"\(payload)","sendAttempts":[]}],"hasMore":false}
                    """)
        ])
        try await Node.run(apple: apple) { node in
            // when
            let from = (Moment.now - .days(2)).rfc3339
            let begun = try await node.send(
                "POST", Self.backfill, body: #"{"from":"\#(from)","to":"\#(Moment.now.rfc3339)"}"#)
            let id = try #require(begun.json["id"] as? String)
            var job = begun
            while job.json["state"] as? String == "running" {
                job = try await node.send("GET", "/v1/reconcile/jobs/\(id)")
            }
            // then
            #expect(begun.status == 202)
            #expect(begun.json["kind"] as? String == "backfill")
            #expect(begun.json["from"] as? String == from)
            #expect(job.status == 200)
            #expect(job.json["state"] as? String == "done", "\(job.body)")
            #expect(job.json["error"] is NSNull)
            #expect(job.json["fetched"] as? Int ?? 0 > 0)
            #expect(job.json["ended"] as? String != nil)
            #expect(try await node.send("GET", "/v1/subscriptions/77").status == 200)
            let other = try await node.send("GET", "/v1/reconcile/jobs/none")
            #expect(other.status == 404)
            #expect(other.code == "unknownJob")
        }
    }

    @Test("the report has the accounts and what is known of them")
    func reports() async throws {
        try await Node.run(apple: ScriptedApple()) { node in
            let report = try await node.send("GET", "/v1/reconcile/report")

            #expect(report.status == 200)
            #expect(report.json["node"] as? String == "perennial")
            #expect(report.json["checked"] as? Int == 0)
            #expect(report.json["examples"] as? [String] == [])
            #expect(report.json["drift"] as? [String: Int] == ["sampled": 0, "different": 0])
            // The first one may have begun.
            let sweep = report.json["lastSweep"] as? [String: Any] ?? ["checked": 0]
            #expect(sweep["checked"] as? Int == 0)
            let accounts = try #require(report.json["accounts"] as? [[String: Any]])
            #expect(accounts.map { $0["bundleId"] as? String } == [TestStore.apps[0]])
            #expect(accounts.map { $0["environment"] as? String } == ["Production"])
            #expect(accounts[0]["failedDeliveries"] as? [String: Int] == [:])
            #expect(accounts[0]["state"] is String)
        }
    }

    @Test("a renewal date is extended under the name that the caller gives the request")
    func extends() async throws {
        let apple = ScriptedApple([
            "PUT /v1/subscriptions/extend/5": .init(
                body: """
                    {"originalTransactionId":"5","webOrderLineItemId":"9","success":true,"effectiveDate":1700000000000}
                    """)
        ])
        let bought = try TestStore.shared.get().notification(id: "5")
        try await Node.run(apple: apple) { node in
            #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)
            // when
            let answer = try await node.send(
                "POST", "/v1/subscriptions/5/extend",
                body: #"{"days":14,"reason":"serviceIssue","requestIdentifier":"outage-1"}"#)
            // then
            #expect(answer.status == 200)
            #expect(answer.json["success"] as? Bool == true)
            #expect(answer.json["effectiveDate"] as? String == "2023-11-14T22:13:20.000Z")
            #expect(answer.json["requestIdentifier"] as? String == "outage-1")
            let body = try #require(apple.requests(to: "/extend/5").first?.body)
            let sent = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            #expect(sent?["extendByDays"] as? Int == 14)
            #expect(sent?["extendReasonCode"] as? Int == 3)
            #expect(sent?["requestIdentifier"] as? String == "outage-1")
        }
    }

    @Test("an extension that Apple may have made is not to be asked for again")
    func tellsThatAnExtensionMayHaveHappened() async throws {
        // given: Apple fails without a word on whether the same may be repeated, or answers what cannot be read
        for (status, body) in [(500, #"{"errorCode":5000000,"errorMessage":"Unknown."}"#), (200, "<html>")] {
            let apple = ScriptedApple(["PUT /v1/subscriptions/extend/5": .init(status: status, body: body)])
            let bought = try TestStore.shared.get().notification(id: "5")
            try await Node.run(apple: apple) { node in
                #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)
                // when
                let answer = try await node.send(
                    "POST", "/v1/subscriptions/5/extend", body: #"{"days":14,"reason":"serviceIssue"}"#)
                // then
                #expect(answer.status == 409)
                #expect(answer.code == "appStoreOutcomeUnknown")
                #expect(answer.json["retryable"] as? Bool == false)
                #expect(answer.headers["retry-after"] == nil)
                #expect((answer.json["detail"] as? String)?.contains("refresh") == true)
                #expect(apple.requests(to: "/extend/5").count == 1)
            }
        }
    }

    @Test("an extension that Apple says may be repeated is merely put off")
    func tellsThatAnExtensionMayBeRepeated() async throws {
        let apple = ScriptedApple([
            "PUT /v1/subscriptions/extend/5": .init(
                status: 500, body: #"{"errorCode":5000001,"errorMessage":"Again."}"#)
        ])
        let bought = try TestStore.shared.get().notification(id: "5")
        try await Node.run(apple: apple) { node in
            #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)
            let answer = try await node.send(
                "POST", "/v1/subscriptions/5/extend", body: #"{"days":14,"reason":"serviceIssue"}"#)

            #expect(answer.code == "appStoreUnavailable")
            #expect(answer.json["retryable"] as? Bool == true)
        }
    }

    @Test("a refresh records what Apple says now")
    func refreshes() async throws {
        // given: renewed without our knowledge
        let store = try TestStore.shared.get()
        let bought = try store.notification(id: "8", purchased: .now - .days(40))
        let transaction = try store.transaction(id: "8", purchased: .now - .days(1))
        let renewal = try store.renewal(id: "8")
        let apple = ScriptedApple([
            "GET /v2/history/8": .init(body: #"{"revision":"1","hasMore":false,"signedTransactions":[]}"#),
            "GET /v1/subscriptions/8": .init(
                body: """
                    {"environment":"Production","bundleId":"\(TestStore.apps[0])","appAppleId":\(TestStore.appAppleID),\
                    "data":[{"subscriptionGroupIdentifier":"21000001","lastTransactions":[{"originalTransactionId":"8",\
                    "status":1,"signedTransactionInfo":"\(transaction)","signedRenewalInfo":"\(renewal)"}]}]}
                    """),
        ])
        try await Node.run(apple: apple) { node in
            #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)
            // when
            let answer = try await node.send("POST", "/v1/subscriptions/8/refresh")
            // then
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.json["state"] as? String == "subscribed")
            #expect(answer.json["entitled"] as? Bool == true)
            #expect(answer.json["originalTransactionId"] as? String == "8")
        }
    }
}
