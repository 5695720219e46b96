import StrictJSON
import Subscriptions

extension DuplicatePayment {
    func writeMembers(to json: inout JSONWriter) {
        json.member("entitlement", self.entitlement)
        json.member("since", self.since)
        json.member("payments") { json in
            json.array { json in for side in [self.first, self.second] { side.write(to: &json) } }
        }
    }
}

extension DuplicatePayment.Side {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            self.by.writeMembers(to: &json)
            json.member("productId", self.productID)
        }
    }
}
