import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import Subscriptions
import Testing

@Suite struct NotificationTests {
    private static let path = "/v1/apple/notifications"
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    @Test func isAcknowledgedOnceDurableAndAgainWhenRepeated() async throws {
        try await Node.run { [store] node in
            let body = try store.notification(id: "2000000000000001")
            for query in ["", "?configured=so"] {
                let answer = try await node.send("POST", Self.path + query, body: body)
                #expect(answer.status == 200)
                #expect(answer.body == "{}")
                #expect(answer.headers["content-type"] == "application/json")
            }

            let events = try await node.send("GET", "/v1/subscriptions/2000000000000001/events")
            #expect((events.json["events"] as? [Any])?.count == 1)
        }
    }

    @Test(arguments: [
        ("", "INVALID_JWT_FORMAT"), ("[]", "INVALID_JWT_FORMAT"), ("{}", "INVALID_JWT_FORMAT"),
        (#"{"signedPayload":1}"#, "INVALID_JWT_FORMAT"), (#"{"signedPayload":"a.b.c"}"#, "INVALID_JWT_FORMAT"),
        (#"{"signedPayload":"x"} trailing"#, "INVALID_JWT_FORMAT"), (#"{"signedPayload":"x"}{}"#, "INVALID_JWT_FORMAT"),
        (#"{"signedPayload":"x","signedPayload":"y"}"#, "INVALID_JWT_FORMAT"),
        (#"{"signedPayload":"\ud800"}"#, "INVALID_JWT_FORMAT"), (#"{"signedPayload":"\u0000"}"#, "INVALID_JWT_FORMAT"),
        ("\u{FEFF}{}", "INVALID_JWT_FORMAT"), (#"{"signedPayload":"#, "INVALID_JWT_FORMAT"),
        (String(repeating: "[", count: 100_000), "INVALID_JWT_FORMAT"),
        (String(repeating: #"{"a":"#, count: 1_000), "INVALID_JWT_FORMAT"),
    ])
    func whatIsMalformedIsRefused(_ body: String, _ code: String) async throws {
        try await Node.run { node in
            let answer = try await node.send("POST", Self.path, body: body)

            #expect(answer.status == 422)
            #expect(answer.code == code)
            #expect(answer.json["retryable"] as? Bool == false)
            #expect((try await node.send("GET", "/v1/events").json["events"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func version1SaysWhatToDo() async throws {
        try await Node.run { node in
            let answer = try await node.send(
                "POST", Self.path, body: #"{"notification_type":"DID_RENEW","unified_receipt":{"latest_receipt":"x"}}"#)

            #expect(answer.status == 422)
            #expect((answer.json["detail"] as? String)?.contains("set version 2") == true)
        }
    }

    @Test func whatIsForgedIsRefused() async throws {
        try await Node.run { [store] node in
            var body = try store.notification(id: "1")
            let dot = try #require(body.lastIndex(of: "."))
            let signature = body.index(dot, offsetBy: 20)
            body.replaceSubrange(signature...signature, with: body[signature] == "A" ? "B" : "A")

            let answer = try await node.send("POST", Self.path, body: body)

            #expect(answer.status == 422)
            #expect(answer.code == "VERIFICATION_FAILURE")
            #expect(try await node.send("GET", "/v1/subscriptions/1").status == 404)
        }
    }

    @Test func whatIsAuthenticButOfAnotherAppIsKeptApart() async throws {
        try await Node.run { [store] node in
            let body = try store.notification(id: "1", bundleID: "com.example.unknown")

            #expect(try await node.send("POST", Self.path, body: body).status == 200)

            #expect(try await node.send("GET", "/v1/subscriptions/1").status == 404)
            let list = try await node.send("GET", "/v1/quarantine")
            let row = try #require((list.json["quarantined"] as? [[String: Any]])?.first)
            #expect(row["reason"] as? String == "unknownApp")
            #expect((row["sha256"] as? String)?.count == 64)
            #expect(!list.body.contains("eyJ"))
            #expect(list.json["next"] is NSNull)
            let replay = try await node.send("POST", "/v1/quarantine/replay")
            #expect(replay.json["kept"] as? Int == 1)
            #expect(replay.json["applied"] as? Int == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `only what fails verification counts as a refusal in a flood`() async throws {
        // given: one refusal that is answered at once, and no room in the quarantine
        var quarantine = QuarantineLimits()
        quarantine.rows = 0
        let configuration = Configuration.with {
            $0.refusals = 1
            $0.refusalInterval = .seconds(3_600)
        }
        try await Node.run(
            store: InMemoryEventStore(quarantineLimits: quarantine), configuration: configuration
        ) { [store] node in
            // when: authentic payloads cannot be kept
            for id in ["1", "2"] {
                let body = try store.notification(id: id, bundleID: "com.example.unknown")
                let answer = try await node.send("POST", Self.path, body: body)

                // then: each is answered at once
                #expect(answer.status == 503)
                #expect(answer.code == "storeFull")
            }
            let early = try store.notification(id: "3", signed: .now + .minutes(10))
            #expect(try await node.send("POST", Self.path, body: early).code == "clockSkew")

            // and takes no turn from a forgery
            let forged = #"{"signedPayload":"a.b.c"}"#
            #expect(try await node.send("POST", Self.path, body: forged).status == 422)
        }
    }

    @Test func aClockThatIsAheadIsNotOurFaultButPasses() async throws {
        try await Node.run { [store] node in
            let body = try store.notification(id: "1", signed: .now + .minutes(10))

            let answer = try await node.send("POST", Self.path, body: body)

            #expect(answer.status == 503)
            #expect(answer.code == "clockSkew")
            #expect(answer.json["retryable"] as? Bool == true)
            #expect(Int(answer.headers["retry-after"] ?? "") ?? 0 > 0)
            #expect(try await node.send("GET", "/v1/subscriptions/1").status == 404)
        }
    }

    @Test func testNotificationsAreRecordedAndShown() async throws {
        try await Node.run { [store] node in
            #expect(try await node.send("POST", Self.path, body: try store.testNotification()).status == 200)

            for query in ["", "?type=TEST"] {
                let page = try await node.send("GET", "/v1/notifications\(query)")
                let event = try #require((page.json["events"] as? [[String: Any]])?.first)
                #expect(event["notificationType"] as? String == "TEST")
                #expect((event["stream"] as? [String: Any])?["kind"] as? String == "test")
            }
            let others = try await node.send("GET", "/v1/notifications?type=RESCIND_CONSENT")
            #expect((others.json["events"] as? [Any])?.isEmpty == true)
            #expect(try await node.send("GET", "/v1/notifications?type=SUBSCRIBED").status == 400)
        }
    }
}
