import Foundation
import HTTPAPI
import Subscriptions
import Testing

/// Webhook endpoints, made and changed over HTTP.
@Suite struct WebhookRequestTests {
    private func make(_ node: Node, _ body: String) async throws -> HTTPConnection.Answer {
        try await node.send("POST", "/v1/webhooks", body: body)
    }

    private func keys(_ answer: HTTPConnection.Answer) -> [[String: Any]] {
        answer.json["keys"] as? [[String: Any]] ?? []
    }

    @Test func anEndpointIsMadeShownChangedAndRemoved() async throws {
        try await Node.run { node in
            let made = try await self.make(
                node,
                #"""
                {"url":"http://127.0.0.1:9/x","description":"ours","types":["subscription.*"],
                 "environments":["Production"],"bundleIds":["com.example.app"]}
                """#)
            #expect(made.status == 201)
            let id = try #require(made.json["id"] as? String)
            let secret = try #require(self.keys(made).first?["key"] as? String)
            #expect(secret.hasPrefix("whsec_"))

            let shown = try await node.send("GET", "/v1/webhooks/\(id)")
            #expect(shown.status == 200)
            #expect(shown.json["url"] as? String == "http://127.0.0.1:9/x")
            #expect(shown.json["types"] as? [String] == ["subscription.*"])
            #expect(shown.json["backlog"] as? Int == 0)
            #expect(shown.json["disabled"] is NSNull)
            #expect(!shown.body.contains("whsec_"))

            let changed = try await node.send("PUT", "/v1/webhooks/\(id)", body: #"{"url":"http://127.0.0.1:9/y"}"#)
            #expect(changed.json["url"] as? String == "http://127.0.0.1:9/y")
            #expect(changed.json["types"] as? [String] == [])
            let listed = try await node.send("GET", "/v1/webhooks")
            #expect((listed.json["webhooks"] as? [[String: Any]])?.map { $0["id"] as? String } == [id])
            #expect(!listed.body.contains("whsec_"))

            #expect(try await node.send("DELETE", "/v1/webhooks/\(id)").status == 200)
            for (method, path, body) in [
                ("GET", "", nil), ("PUT", "", #"{"url":"http://127.0.0.1:9/y"}"#), ("DELETE", "", nil),
                ("POST", "/rotate", "{}"), ("POST", "/test", "{}"), ("GET", "/dead-letters", nil),
                ("POST", "/replay", #"{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}"#),
            ] as [(String, String, String?)] {
                let answer = try await node.send(method, "/v1/webhooks/\(id)\(path)", body: body)
                #expect(answer.status == 404)
                #expect(answer.code == "unknownWebhook")
            }
        }
    }

    @Test func aKeyIsRotated() async throws {
        try await Node.run { node in
            let made = try await self.make(node, #"{"url":"http://127.0.0.1:9/","algorithm":"ed25519"}"#)
            let id = try #require(made.json["id"] as? String)
            #expect((self.keys(made).first?["key"] as? String)?.hasPrefix("whpk_") == true)

            let rotated = try await node.send("POST", "/v1/webhooks/\(id)/rotate", body: #"{"overlapSeconds":60}"#)
            #expect(self.keys(rotated).map { $0["algorithm"] as? String } == ["ed25519", "ed25519"])
            #expect(self.keys(rotated)[0]["until"] is NSNull)
            #expect(self.keys(rotated)[1]["until"] is String)
            let other = try await node.send("POST", "/v1/webhooks/\(id)/rotate", body: #"{"algorithm":"hmac"}"#)
            #expect((self.keys(other)[0]["key"] as? String)?.hasPrefix("whsec_") == true)
            #expect(!other.body.contains("whsk_"))
        }
    }

    @Test func aTestIsSentAtOnce() async throws {
        try await Node.run { node in
            let made = try await self.make(node, #"{"url":"http://127.0.0.1:1/"}"#)
            let id = try #require(made.json["id"] as? String)

            // Nobody listens there.
            let answer = try await node.send("POST", "/v1/webhooks/\(id)/test", body: "{}")
            #expect(answer.status == 200)
            #expect(answer.json["delivered"] as? Bool == false)
            #expect((answer.json["reason"] as? String)?.isEmpty == false)
        }
    }

    @Test(arguments: [
        "{}", #"{"url":7}"#, "no", #"{"url":"http://127.0.0.1/","x":1}"#,
        #"{"url":"http://127.0.0.1/","algorithm":"md5"}"#,
        #"{"url":"http://127.0.0.1/","from":"then"}"#, #"{"url":"http://127.0.0.1/","environments":["Test"]}"#,
        #"{"url":"http://10.0.0.1/"}"#, #"{"url":"https://169.254.169.254/"}"#, #"{"url":"ftp://127.0.0.1/"}"#,
        #"{"url":"http://127.0.0.1/","types":["a b"]}"#, #"{"url":"http://127.0.0.1/","types":[""]}"#,
        #"{"url":"http://user:secret@127.0.0.1/"}"#,
    ])
    func whatCannotBeIsRefused(_ body: String) async throws {
        try await Node.run { node in
            let answer = try await self.make(node, body)
            #expect(answer.status == 400)
            #expect(["malformedBody", "invalidRequest"].contains(answer.code))
            #expect(!answer.body.contains("secret"))
            #expect((try await node.send("GET", "/v1/webhooks").json["webhooks"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func aReplayNeedsAStretch() async throws {
        try await Node.run { node in
            let id = try #require(
                try await self.make(node, #"{"url":"http://127.0.0.1:9/"}"#).json["id"] as? String)
            let bodies = [
                ("{}", 400), (#"{"from":"2026-01-01T00:00:00Z"}"#, 400), (#"{"from":"x","to":"y"}"#, 400),
                (#"{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}"#, 400),
                (#"{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}"#, 202),
            ]
            for (body, status) in bodies {
                #expect(try await node.send("POST", "/v1/webhooks/\(id)/replay", body: body).status == status)
            }
        }
    }
}
