import AppStore
import Subscriptions
import Testing

/// What comes back.
@Suite struct ServerAPIAnswerTests {
    private static func statuses(_ json: String) async throws -> SubscriptionStatuses {
        try await ServerAPIFixture(ScriptedTransport(json: json)).client.subscriptionStatuses(of: "1")
    }

    @Test func readsStatuses() async throws {
        let answer = try await Self.statuses(
            """
            {"environment":"Production","bundleId":"com.example.app","appAppleId":1234567890,"new":{"a":[1]},"data":[
             {"subscriptionGroupIdentifier":"g1","lastTransactions":[
              {"originalTransactionId":"10","status":1,"signedTransactionInfo":"t.1.x","signedRenewalInfo":"r.1.x"},
              {"status":77,"originalTransactionId":11,"unknown":true}]},
             {"lastTransactions":[{"originalTransactionId":"20","status":2}],"subscriptionGroupIdentifier":"g2"}]}
            """)
        #expect(answer.environment == .production)
        #expect(answer.bundleID == "com.example.app")
        #expect(answer.appAppleID == 1_234_567_890)
        #expect(answer.items.map(\.originalTransactionID) == ["10", "11", "20"])
        #expect(answer.items.map(\.groupIdentifier) == ["g1", "g1", "g2"])
        #expect(answer.items.map(\.status.rawValue) == [1, 77, 2])
        #expect(answer.items[0].signedTransactionInfo == SignedString(jws: Array("t.1.x".utf8)))
        #expect(answer.items[0].signedRenewalInfo == SignedString(jws: Array("r.1.x".utf8)))
        #expect(answer.items[1].signedTransactionInfo == nil)
    }

    @Test func keepsAnUnknownEnvironment() async throws {
        #expect(try await Self.statuses(#"{"environment":"Moonbase"}"#).environment?.rawValue == "Moonbase")
    }

    @Test func readsAnAnswerWithoutAnything() async throws {
        #expect(try await Self.statuses("{}") == SubscriptionStatuses())
        #expect(try await Self.statuses(#"{"appAppleId":null,"data":[]}"#) == SubscriptionStatuses())
    }

    @Test(
        "refuses an answer of the wrong form",
        arguments: [
            #"{"appAppleId":"1234567890"}"#, #"{"environment":1}"#, #"{"data":{}}"#,
            #"{"data":[{"lastTransactions":[{"originalTransactionId":"1","status":"1"}]}]}"#,
            #"{"data":[{"lastTransactions":[{"originalTransactionId":"1"}]}]}"#,
            #"{"data":[{"lastTransactions":[{"status":1}]}]}"#,
            #"{"data":[{"lastTransactions":[{"originalTransactionId":"a b","status":1}]}]}"#,
            #"{"data":[{"lastTransactions":[{"originalTransactionId":"1","status":1,"signedRenewalInfo":{}}]}]}"#,
            #"{"environment":"Sandbox","environment":"Production"}"#, "[]",
            String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40),
        ])
    func refusesForms(_ json: String) async throws {
        let transport = ScriptedTransport(json: json)
        let client = try ServerAPIFixture(transport).client
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await client.subscriptionStatuses(of: "1")
        }
        #expect(failure?.code == .malformedAnswer)
        #expect(failure?.retryable == false)
        #expect(transport.requests.count == 1)
    }

    @Test(
        "a success without an answer of Apple's passes, and is asked for again",
        arguments: [
            "", " ", "<html></html>", "<!DOCTYPE html><html><body>Log in</body></html>", "OK", #"{"data":["#, "{} {}",
        ])
    func foreignAnswers(_ body: String) async throws {
        let transport = ScriptedTransport([.json(body), .json(#"{"environment":"Production"}"#)])
        let fixture = try ServerAPIFixture(transport)
        #expect(try await fixture.client.subscriptionStatuses(of: "1").environment == .production)
        #expect(transport.requests.count == 2)
        // and for ever
        let stubborn = ScriptedTransport(json: body)
        let client = try ServerAPIFixture(stubborn).client
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await client.subscriptionStatuses(of: "1")
        }
        #expect(failure?.code == .serverTrouble)
        #expect(failure?.retryable == true)
        #expect(stubborn.requests.count == 4)
    }

    @Test("nor is a page taken for Apple's consent where Apple answers nothing")
    func foreignConsent() async throws {
        let page = try ServerAPIFixture(ScriptedTransport(json: "<html></html>")).client
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await page.finishTransaction("1")
        }
        #expect(failure?.code == .serverTrouble)
        for body in ["", "{}"] {
            try await ServerAPIFixture(ScriptedTransport(json: body)).client.finishTransaction("1")
        }
    }

    @Test("an extension that such a page answers may have been done, and is not asked for again")
    func foreignExtension() async throws {
        let transport = ScriptedTransport(json: "<html></html>")
        let client = try ServerAPIFixture(transport).client
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await client.extendRenewalDate(
                of: "1", ExtensionRequest(days: 1, reason: .other, requestIdentifier: "r"))
        }
        #expect(failure?.leavesOutcomeUnknown == true)
        #expect(transport.requests.count == 1)
    }

    @Test func readsTheOthers() async throws {
        func client(_ json: String) throws -> ServerAPIClient {
            try ServerAPIFixture(ScriptedTransport(json: json)).client
        }
        let info = try await client(#"{"signedTransactionInfo":"a.b.c"}"#).transactionInfo("1")
        #expect(info.jws == Array("a.b.c".utf8))
        let app = try await client(#"{"signedAppTransactionInfo":"a.b.d"}"#).appTransaction(of: "1")
        #expect(app.jws == Array("a.b.d".utf8))

        let order = try await client(#"{"status":0,"signedTransactions":["a.b.c","d.e.f"]}"#).lookUpOrder("W1")
        #expect(order.isValid)
        #expect(order.signedTransactions.count == 2)
        #expect(try await client(#"{"status":1}"#).lookUpOrder("W1").isValid == false)

        let extended = try await client(
            #"{"originalTransactionId":"1","webOrderLineItemId":"9","success":true,"effectiveDate":1698148900000}"#
        ).extendRenewalDate(of: "1", ExtensionRequest(days: 1, reason: .other, requestIdentifier: "r"))
        #expect(extended.originalTransactionID == "1")
        #expect(extended.webOrderLineItemID == "9")
        #expect(extended.success)
        #expect(extended.effectiveDate?.milliseconds == 1_698_148_900_000)

        let mass = try await client(
            #"{"requestIdentifier":"r","complete":true,"completeDate":1698148900000,"#
                + #""succeededCount":30,"failedCount":2}"#
        ).massExtensionStatus(productID: "p", requestIdentifier: "r")
        #expect(mass.requestIdentifier == "r")
        #expect(mass.complete)
        #expect(mass.completeDate?.milliseconds == 1_698_148_900_000)
        #expect(mass.succeededCount == 30)
        #expect(mass.failedCount == 2)
        let running = try await client(#"{"requestIdentifier":"r","complete":false}"#)
            .massExtensionStatus(productID: "p", requestIdentifier: "r")
        #expect(!running.complete)
        #expect(running.succeededCount == nil)

        #expect(try await client(#"{"testNotificationToken":"ce3af791"}"#).requestTestNotification() == "ce3af791")
        let test = try await client(
            #"{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":1698148900000,"sendAttemptResult":"NEW_WORD"}]}"#
        ).testNotificationStatus("ce3af791")
        #expect(test.signedPayload?.jws == Array("a.b.c".utf8))
        #expect(
            test.attempts
                == [SentNotification.Attempt(date: Moment(milliseconds: 1_698_148_900_000), result: "NEW_WORD")])
    }

    @Test func refusesAnswersWithoutWhatTheyAreAbout() async throws {
        let client = try ServerAPIFixture(ScriptedTransport(json: "{}")).client
        let failures = [
            await ServerAPIFixture.failure { () throws(ServerAPIError) in try await client.transactionInfo("1") },
            await ServerAPIFixture.failure { () throws(ServerAPIError) in try await client.appTransaction(of: "1") },
            await ServerAPIFixture.failure { () throws(ServerAPIError) in try await client.requestTestNotification() },
        ]
        #expect(failures.map { $0?.code } == [.malformedAnswer, .malformedAnswer, .malformedAnswer])
    }

    @Test func refusesLongAnswers() async throws {
        let transport = ScriptedTransport(json: #"{"a":"\#(String(repeating: "x", count: 1_000))"}"#)
        let client = try ServerAPIFixture(transport) { $0.maximumAnswerBytes = 1_000 }.client
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await client.subscriptionStatuses(of: "1")
        }
        #expect(failure?.code == .tooLarge)
        #expect(transport.requests.count == 1)
    }

    @Test func signedStringsDoNotShow() {
        let item = SubscriptionStatuses.Item(
            originalTransactionID: "1", status: .active, signedTransactionInfo: SignedString(jws: Array("secret".utf8)))
        #expect(!"\(item)".contains("115") && !"\(item)".contains("secret"))
        #expect("\(SignedString(jws: [1, 2]))" == "a signed string of 2 bytes")
    }
}
