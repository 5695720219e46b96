import Hummingbird
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

/// Why an answer is what it is.
extension API {
    func explain(_ call: Call) async throws -> Response {
        let explanation = try await self.service.explain(
            SubscriptionQuery(
                stream: try call.query.stream(.subscription, id: call.arguments[0]), at: try call.query.moment("at")))
        return .json(reserving: 4_096) { json in
            json.object { json in
                json.member("subscription") { explanation.view.write(to: &$0) }
                json.member("steps") { json in
                    json.array { json in
                        for step in explanation.steps { step.write(to: &json) }
                    }
                }
            }
        }
    }
}

extension ExplanationStep {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("rule", Int64(self.rule))
            json.member("sentence", self.sentence)
            json.member("facts") { json in
                json.array { json in
                    for fact in self.facts { fact.write(to: &json) }
                }
            }
        }
    }
}

extension FactReference {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .transaction(let id, let signedDate):
                json.member("fact", "transaction")
                json.member("transactionId", id.rawValue)
                json.member("signedDate", signedDate)
            case .renewal(let signedDate):
                json.member("fact", "renewal")
                json.member("signedDate", signedDate)
            case .status(let status, let asOf):
                json.member("fact", "status")
                json.member("status", status.rawValue)
                json.member("asOf", asOf)
            }
        }
    }
}
