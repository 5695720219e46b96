import Hummingbird
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

extension API {
    /// What an identifier of any kind leads to; nothing is an answer too.
    func find(_ call: Call) async throws -> Response {
        guard let text = try call.query.text("q") else {
            throw Problem.invalidParameter("q", "missing: it is the identifier to look for")
        }
        guard CustomerID(text) != nil else {
            throw Problem.invalidParameter("q", "not 1 to 128 bytes of UTF-8 without control characters")
        }
        let finding = try await self.service.find(text)
        return .json { finding.write(to: &$0) }
    }
}

extension Finding {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("customerId", self.customer?.rawValue)
            json.member("streams") { json in
                json.array { json in
                    for stream in self.streams {
                        json.object { json in
                            stream.key.writeNames(to: &json)
                            json.member("because", stream.roles.map(\.rawValue))
                        }
                    }
                }
            }
        }
    }
}
