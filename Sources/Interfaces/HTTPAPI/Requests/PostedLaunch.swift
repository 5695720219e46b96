import ServiceContract
import StrictJSON
import Subscriptions

/// The body of `POST /v1/customers/{customerId}/launch`.
struct PostedLaunch {
    private(set) var transactions: [[UInt8]] = []
    private(set) var renewalInfos: [[UInt8]] = []
    private(set) var appTransaction: [UInt8]?
    private(set) var restores = false

    private static let members = ["signedTransactions", "signedRenewalInfos", "signedAppTransaction", "restore"]

    init(_ body: [UInt8]) throws(Problem) {
        var posted = Self()
        try PostedMembers.read(body, knowing: Self.members, emptyTextIsNull: true) { (key, json) throws(JSONError) in
            switch key {
            case "signedTransactions": posted.transactions = try Self.texts(&json)
            case "signedRenewalInfos": posted.renewalInfos = try Self.texts(&json)
            case "signedAppTransaction": posted.appTransaction = Array(try json.textBytes())
            case "restore": posted.restores = try json.bool()
            default: return false
            }
            return true
        }
        guard posted.transactions.count + posted.renewalInfos.count <= Launch.limit else {
            throw Problem(
                .tooManyItems,
                "more than \(Launch.limit) signed transactions and renewal infos: send the rest in a second call")
        }
        self = posted
    }

    private init() {}

    private static func texts(_ json: inout JSONScanner) throws(JSONError) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        try json.beginArray()
        while try json.nextElement() { texts.append(Array(try json.textBytes())) }
        return texts
    }
}
