import JSONScanning

/// The body of `POST /v1/transactions`.
struct PostedTransaction {
    var signedTransaction: [UInt8]
    var signedRenewalInfo: [UInt8]?
    var customerID: String?

    init(_ body: [UInt8]) throws(Problem) {
        var signedTransaction: [UInt8]?
        do throws(JSONError) {
            var json = JSONScanner(body)
            try json.beginObject()
            while let key = try json.nextKey() {
                switch key {
                case "signedTransaction": signedTransaction = Array(try json.textBytes())
                case "signedRenewalInfo": self.signedRenewalInfo = Array(try json.textBytes())
                case "customerId": self.customerID = try json.text()
                default: try json.skip()
                }
            }
            try json.end()
        } catch {
            throw Problem(.malformedBody, error.description)
        }
        guard let signedTransaction else { throw Problem(.malformedBody, "signedTransaction is missing") }
        if let customerID = self.customerID {
            guard (1...64).contains(customerID.utf8.count), customerID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else {
                throw Problem(.malformedBody, "customerId is not 1 to 64 bytes of text without control characters")
            }
        }
        self.signedTransaction = signedTransaction
    }
}
