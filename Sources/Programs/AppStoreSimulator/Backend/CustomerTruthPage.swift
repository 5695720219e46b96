import StrictJSON
import Subscriptions

/// Some of the publisher's customers, as JSON.
struct CustomerTruthPage {
    let customers: [(id: String, since: Moment)]
    let isLast: Bool
    /// Truths up to this moment are final.
    let now: Moment
    let store: StoreIdentity

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("customers") { json in
                json.array { json in
                    for customer in self.customers {
                        json.object { json in
                            json.member("customerId", customer.id)
                            json.member("since", customer.since.description)
                        }
                    }
                }
            }
            json.member("next", self.isLast ? nil : self.customers.last?.id)
            json.member("now", self.now.description)
            json.member("environment", self.store.environment.rawValue)
            json.member("bundleId", self.store.bundleID)
        }
        return json.bytes
    }
}
