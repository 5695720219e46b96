import ServiceContract
import StrictJSON
import Subscriptions

/// The body of `POST /v1/transactions`.
struct PostedTransaction {
    let signedTransaction: [UInt8]
    let signedRenewalInfo: [UInt8]?
    let customer: CustomerID?
    /// The user has pressed "restore".
    let restores: Bool

    init(_ body: [UInt8]) throws(Problem) {
        var (signedTransaction, signedRenewalInfo): ([UInt8]?, [UInt8]?)
        var customerID: String?
        var restores = false
        let members = ["signedTransaction", "signedRenewalInfo", "customerId", "restore"]
        try PostedMembers.read(body, knowing: members, emptyTextIsNull: true) { (key, json) throws(JSONError) in
            switch key {
            case "signedTransaction": signedTransaction = Array(try json.textBytes())
            case "signedRenewalInfo": signedRenewalInfo = Array(try json.textBytes())
            case "customerId": customerID = try json.text()
            case "restore": restores = try json.bool()
            default: return false
            }
            return true
        }
        guard let signedTransaction else { throw .missing("signedTransaction") }
        self.customer = try customerID.map { id throws(Problem) in try CustomerID(posted: id) }
        guard self.customer != nil || !restores else {
            throw Problem(.malformedBody, "restore says whose purchases to restore: customerId is missing")
        }
        self.signedTransaction = signedTransaction
        self.signedRenewalInfo = signedRenewalInfo
        self.restores = restores
    }
}

extension CustomerID {
    /// - Throws: 400 for what is no id.
    init(posted text: String) throws(Problem) {
        guard let id = CustomerID(text) else {
            throw Problem(
                ServiceError(
                    .invalidCustomerId, "a customer's id is 1 to 128 bytes of UTF-8 without control characters"))
        }
        self = id
    }
}
