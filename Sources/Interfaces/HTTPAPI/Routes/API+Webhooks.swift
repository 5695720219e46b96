import EntitlementStream
import Hummingbird
import StrictJSON
import SubscriptionService
import Subscriptions
import Webhooks

/// Endpoints that are told of changes.
extension API {
    func webhooks() async throws -> Response {
        let endpoints = try await self.webhooks.endpoints()
        return .json { json in
            json.object { json in
                json.member("webhooks") { json in
                    json.array { json in for endpoint in endpoints { endpoint.write(to: &json) } }
                }
            }
        }
    }

    func webhook(_ call: Call) async throws -> Response {
        let endpoint = try await self.webhooks.endpoint(call.arguments[0])
        let backlog = try await self.webhooks.backlog(of: endpoint.id)
        return .json { endpoint.write(to: &$0, backlog: backlog) }
    }

    func makeWebhook(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedWebhook(body, isNew: true)
            let endpoint = try await self.webhooks.create(posted.wish, signedBy: posted.algorithm, from: posted.start)
            return .json(.created) { endpoint.write(to: &$0, showingKey: true) }
        }
    }

    func changeWebhook(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedWebhook(body, isNew: false)
            let endpoint = try await self.webhooks.update(call.arguments[0], posted.wish)
            return .json { endpoint.write(to: &$0) }
        }
    }

    func removeWebhook(_ call: Call) async throws -> Response {
        try await self.webhooks.remove(call.arguments[0])
        return .json { json in json.object { _ in } }
    }

    func rotateWebhookKey(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedRotation(body)
            let id = call.arguments[0]
            let current = try await self.webhooks.endpoint(id).keys.first?.key?.algorithm
            let endpoint = try await self.webhooks.rotate(
                id, to: posted.algorithm ?? current ?? .hmac, overlap: posted.overlap)
            return .json { endpoint.write(to: &$0, showingKey: true) }
        }
    }

    func testWebhook(_ call: Call) async throws -> Response {
        let failure = try await self.webhooks.test(call.arguments[0])
        return .json { json in
            json.object { json in
                json.member("delivered", failure == nil)
                json.member("reason", failure?.reason)
            }
        }
    }

    func replayWebhook(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedTimeRange(body)
            let count = try await self.webhooks.replay(call.arguments[0], from: posted.from, to: posted.to)
            return .json(.accepted) { json in json.object { $0.member("events", Int64(count)) } }
        }
    }

    func deadLetters(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        let letters = try await self.webhooks.deadLetters(
            of: call.arguments[0], after: try call.query.text("after"), limit: limit)
        return .json(reserving: 4_096) { json in
            json.object { json in
                json.member("deadLetters") { json in
                    json.array { json in for letter in letters { letter.write(to: &json) } }
                }
                json.member("next", letters.count == limit ? letters.last?.place : nil)
            }
        }
    }
}
