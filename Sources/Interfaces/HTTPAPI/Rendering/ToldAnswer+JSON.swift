import StrictJSON
import Subscriptions

/// Of a name that the customer had not got: null.
extension ToldAnswer? {
    func write(to json: inout JSONWriter) {
        guard let answer = self else { return json.null() }
        json.object { json in
            json.member("entitled", answer.entitled)
            json.member("state", answer.state)
            json.member("code", answer.code)
            json.member("validUntil", answer.validUntil)
            json.member("productId", answer.productID)
            json.member("rank", answer.rank.map(Int64.init))
            json.member("by") { json in
                guard let by = answer.by else { return json.null() }
                json.object { by.writeMembers(to: &$0) }
            }
        }
    }
}
