import StrictJSON

/// The body of `POST /v1/transactions`.
struct PostedTransaction {
    let signedTransaction: [UInt8]
    let signedRenewalInfo: [UInt8]?
    let customerID: String?

    init(_ body: [UInt8]) throws(Problem) {
        var (signedTransaction, signedRenewalInfo): ([UInt8]?, [UInt8]?)
        var customerID: String?
        let members = ["signedTransaction", "signedRenewalInfo", "customerId"]
        try PostedMembers.read(body, knowing: members, emptyTextIsNull: true) { (key, json) throws(JSONError) in
            switch key {
            case "signedTransaction": signedTransaction = Array(try json.textBytes())
            case "signedRenewalInfo": signedRenewalInfo = Array(try json.textBytes())
            case "customerId": customerID = try json.text()
            default: return false
            }
            return true
        }
        guard let signedTransaction else { throw .missing("signedTransaction") }
        if let customerID {
            guard (1...64).contains(customerID.utf8.count), customerID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else {
                throw Problem(.malformedBody, "customerId is not 1 to 64 bytes of text without control characters")
            }
        }
        self.signedTransaction = signedTransaction
        self.signedRenewalInfo = signedRenewalInfo
        self.customerID = customerID
    }
}
