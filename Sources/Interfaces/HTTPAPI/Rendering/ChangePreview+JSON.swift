import ServiceContract
import StrictJSON
import Subscriptions

extension ChangePreview {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("wouldGain") { Self.write(self.wouldGain, to: &$0) }
            json.member("wouldLose") { Self.write(self.wouldLose, to: &$0) }
            json.member("changes") { json in
                json.array { json in for change in self.changes { json.value(change.rawValue) } }
            }
            json.member("refused", self.refused?.rawValue)
        }
    }

    private static func write(_ entitlements: [Entitlement], to json: inout JSONWriter) {
        json.array { json in
            for one in entitlements {
                json.object { json in
                    json.member("customerId", one.customer.rawValue)
                    json.member("entitlement", one.entitlement)
                    json.member("environment", one.environment.rawValue)
                    json.member("validUntil", one.validUntil)
                }
            }
        }
    }
}
