import ServiceContract
import StrictJSON
import Subscriptions

extension CustomerPage {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("customers") { json in
                json.array { json in for listing in self.listings { listing.write(to: &json) } }
            }
            json.member("asOf", self.asOf)
            json.member("next", self.next)
        }
    }
}

extension CustomerListing {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("customerIds", self.customers.map(\.rawValue))
            json.member("conflicts", self.conflicts.map(\.rawValue))
            self.snapshot.key.writeNames(to: &json)
            json.member("state", self.snapshot.state.rawValue)
            json.member("entitled", self.snapshot.entitled)
            json.member("productId", self.snapshot.productID)
            json.member("expiresDate", self.snapshot.expiresDate)
            json.member("validUntil", self.snapshot.validUntil)
            guard let duplicates = self.duplicatePayments else { return }
            json.member("duplicatePayments") { json in
                json.array { json in
                    for duplicate in duplicates { json.object { duplicate.writeMembers(to: &$0) } }
                }
            }
        }
    }
}
