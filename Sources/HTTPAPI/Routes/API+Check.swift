import EventSourcing
import Hummingbird
import JSONScanning
import SubscriptionRuntime
import Subscriptions

extension API {
    /// Who is entitled: one result for each check, in its order.
    func check(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedChecks(body)
            let answers = try await self.service.check(
                posted.questions, consistency: posted.consistency, atLeast: try call.atLeast())
            return .json(reserving: 256 + 192 * posted.items.count) { json in
                json.object { json in
                    json.member("results") { answers.writeResults(of: posted.items, to: &$0) }
                    json.member("asOf", answers.asOf)
                    json.member("stale", answers.stale)
                    json.member("token", answers.token)
                }
            }
        }
    }
}

extension CheckResponse {
    /// The service has answered the questions among the items; the others get their refusal.
    fileprivate func writeResults(of items: [PostedChecks.Item], to json: inout JSONWriter) {
        var answers = self.results.makeIterator()
        json.array { json in
            for item in items {
                switch item {
                case .refused(let code): Self.write(refusal: code.rawValue, to: &json)
                case .question:
                    switch answers.next() {
                    case .verdict(let verdict): verdict.write(to: &json)
                    case .refused(let code): Self.write(refusal: code.rawValue, to: &json)
                    case nil: preconditionFailure("the service answers every question")
                    }
                }
            }
        }
    }

    private static func write(refusal code: String, to json: inout JSONWriter) {
        json.object { json in
            json.member("error") { json in
                json.object { $0.member("code", code) }
            }
        }
    }
}

extension CheckVerdict {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("entitled", self.entitled)
            json.member("state", self.state?.rawValue)
            json.member("code", self.code)
            json.member("validUntil", self.validUntil)
            json.member("productId", self.productID)
            json.member("version", self.version.rawValue)
            json.member("reason", ifPresent: self.reason?.rawValue)
        }
    }
}
