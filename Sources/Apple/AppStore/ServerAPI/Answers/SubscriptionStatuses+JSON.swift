import StrictJSON
import Subscriptions

extension SubscriptionStatuses {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var answer = SubscriptionStatuses()
        var items: [PartialItem] = []
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            switch key {
            case "environment": answer.environment = AppStoreEnvironment(rawValue: try json.answerText())
            case "bundleId": answer.bundleID = try json.answerText()
            case "appAppleId": answer.appAppleID = try json.integer()
            case "data": try json.readArray { json throws(JSONError) in items += try PartialItem.group(&json) }
            default: try json.skip()
            }
        }
        for item in items { answer.items.append(try item.whole()) }
        self = answer
    }

    /// An item as it is being read.
    private struct PartialItem {
        var group: String?
        var originalTransactionID: String?
        var status: Int64?
        var signedTransactionInfo: SignedString?
        var signedRenewalInfo: SignedString?

        /// The items of one subscription group, which all carry its identifier.
        static func group(_ json: inout JSONScanner) throws(JSONError) -> [PartialItem] {
            var group: String?
            var items: [PartialItem] = []
            try json.readObject { key, json throws(JSONError) in
                switch key {
                case "subscriptionGroupIdentifier": group = try json.answerText()
                case "lastTransactions":
                    try json.readArray { json throws(JSONError) in items.append(try PartialItem(&json)) }
                default: try json.skip()
                }
            }
            for index in items.indices { items[index].group = group }
            return items
        }

        private init(_ json: inout JSONScanner) throws(JSONError) {
            var item = PartialItem()
            try json.readObject { key, json throws(JSONError) in
                switch key {
                case "originalTransactionId": item.originalTransactionID = try json.identifier()
                case "status": item.status = try json.integer()
                case "signedTransactionInfo": item.signedTransactionInfo = try json.signedString()
                case "signedRenewalInfo": item.signedRenewalInfo = try json.signedString()
                default: try json.skip()
                }
            }
            self = item
        }

        private init() {}

        /// Without one of these nobody can say what an item is about.
        func whole() throws(AnswerProblem) -> Item {
            guard let originalTransactionID else { throw .missing("originalTransactionId") }
            guard let status else { throw .missing("status") }
            return Item(
                groupIdentifier: self.group, originalTransactionID: originalTransactionID,
                status: AppleStatus(rawValue: status), signedTransactionInfo: self.signedTransactionInfo,
                signedRenewalInfo: self.signedRenewalInfo)
        }
    }
}
