import AppStore
import Foundation
import Subscriptions
import Testing

/// What a backend has a node tell Apple about the consumption of a purchase.
@Suite struct ConsumptionTests {
    @Test("what Apple is told of a purchase without a request is about the newest charge unless one is named")
    func tellsOfConsumption() async throws {
        // given: of one charge only Apple knows
        let store = try TestStore.shared.get()
        let apple = ScriptedApple([
            "PUT /v2/transactions/consumption/": .init(status: 202, body: ""),
            "GET /v1/transactions/61": .init(
                body: #"{"signedTransactionInfo":"\#(try store.transaction(id: "61", of: "6"))"}"#),
        ])
        let bought = try store.notification(id: "6")
        try await Node.run(apple: apple) { node in
            #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)
            // when
            let newest = try await node.send("PUT", "/v1/subscriptions/6/consumption", body: ConsumptionBody.valid)
            let named = try await node.send(
                "PUT", "/v1/subscriptions/6/consumption",
                body: ConsumptionBody.replacing("false}", #"false,"refundPreference":"DECLINE","transactionId":"61"}"#))
            let unknown = try await node.send("PUT", "/v1/subscriptions/1/consumption", body: ConsumptionBody.valid)
            // then
            #expect(newest.status == 202)
            #expect(named.status == 202, "\(named.body)")
            #expect(unknown.code == "unknownSubscription")
            let sent = apple.requests(to: "/consumption/")
            #expect(sent.map { $0.path.split(separator: "/").last } == ["6", "61"])
            let body = try #require(sent.last?.body)
            let members = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            #expect(members?["customerConsented"] as? Bool == true)
            #expect(members?["deliveryStatus"] as? String == "DELIVERED")
            #expect(members?["sampleContentProvided"] as? Bool == false)
            #expect(members?["refundPreference"] as? String == "DECLINE")
        }
    }

    @Test("what Apple is told is about the charge that its newest request names, in whatever order they arrive")
    func tellsOfTheChargeThatAppleAsksAbout() async throws {
        let store = try TestStore.shared.get()
        let apple = ScriptedApple(["PUT /v2/transactions/consumption/": .init(status: 202, body: "")])
        let first = Moment.now - .days(70)
        func notification(_ type: String, about id: String, _ period: Int64, ago: Int64) throws -> String {
            let purchased = first + Milliseconds.days(30 * period)
            return try store.notification(type, about: id, of: "6", purchased: purchased, signed: .now - .hours(ago))
        }
        let charges = [
            try store.notification(id: "6", purchased: first),
            try notification("DID_RENEW", about: "61", 1, ago: 40 * 24),
            try notification("DID_RENEW", about: "62", 2, ago: 10 * 24),
        ]
        let requests = [
            try notification("CONSUMPTION_REQUEST", about: "61", 1, ago: 3),
            try notification("CONSUMPTION_REQUEST", about: "6", 0, ago: 5),
            try notification("CONSUMPTION_REQUEST", about: "62", 2, ago: 1),
        ]
        try await Node.run(apple: apple) { node in
            func deliver(_ body: String) async throws {
                #expect(try await node.send("POST", "/v1/apple/notifications", body: body).status == 200)
            }
            func reply(_ body: String = ConsumptionBody.valid) async throws {
                let answer = try await node.send("PUT", "/v1/subscriptions/6/consumption", body: body)
                #expect(answer.status == 202, "\(answer.body)")
            }
            for charge in charges { try await deliver(charge) }
            // when: the second request is older than the first, and late
            for request in requests {
                try await deliver(request)
                try await reply()
            }
            // and one is named all the same; an empty text names none
            try await reply(ConsumptionBody.replacing("false}", #"false,"transactionId":"6"}"#))
            try await reply(ConsumptionBody.replacing("false}", #"false,"transactionId":""}"#))
            // then
            let sent = apple.requests(to: "/consumption/").map { $0.path.split(separator: "/").last }
            #expect(sent == ["61", "61", "62", "6", "62"])
            #expect(apple.requests(to: "/v1/transactions/").isEmpty, "all of them are in the log")
        }
    }

    @Test("nothing is told of a transaction of another purchase", arguments: ["7", "404"])
    func tellsNothingOfAnotherPurchase(_ id: String) async throws {
        // given: 7 is another subscription, and 404 nobody knows
        let store = try TestStore.shared.get()
        let apple = ScriptedApple([
            "PUT /v2/transactions/consumption/": .init(status: 202, body: ""),
            "GET /v1/transactions/7": .init(
                body: #"{"signedTransactionInfo":"\#(try store.transaction(id: "7"))"}"#),
        ])
        let bought = try store.notification(id: "6")
        try await Node.run(apple: apple) { node in
            #expect(try await node.send("POST", "/v1/apple/notifications", body: bought).status == 200)
            // when
            let answer = try await node.send(
                "PUT", "/v1/subscriptions/6/consumption",
                body: ConsumptionBody.replacing("false}", #"false,"transactionId":"\#(id)"}"#))
            // then
            #expect(answer.status == 422)
            #expect(answer.code == "transactionElsewhere")
            #expect(answer.json["retryable"] as? Bool == false)
            #expect(apple.requests(to: "/consumption/").isEmpty)
        }
    }
}
