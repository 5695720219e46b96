import StrictJSON
import Subscriptions

extension SignedString {
    init(member name: StaticString, of body: [UInt8]) throws(AnswerProblem) {
        var string: SignedString?
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            if name ~= key { string = try json.signedString() } else { try json.skip() }
        }
        guard let string else { throw .missing("\(name)") }
        self = string
    }
}

extension String {
    init(member name: StaticString, of body: [UInt8]) throws(AnswerProblem) {
        var text: String?
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            if name ~= key { text = try json.answerText() } else { try json.skip() }
        }
        guard let text else { throw .missing("\(name)") }
        self = text
    }
}

extension HistoryPage {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var page = HistoryPage()
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            switch key {
            case "revision": page.revision = try json.answerText()
            case "hasMore": page.hasMore = try json.bool()
            case "environment": page.environment = AppStoreEnvironment(rawValue: try json.answerText())
            case "bundleId": page.bundleID = try json.answerText()
            case "appAppleId": page.appAppleID = try json.integer()
            case "signedTransactions": page.signedTransactions = try json.signedStrings()
            default: try json.skip()
            }
        }
        self = page
    }
}

extension OrderLookUp {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var answer = OrderLookUp()
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            switch key {
            case "status": answer.status = try json.integer()
            case "signedTransactions": answer.signedTransactions = try json.signedStrings()
            default: try json.skip()
            }
        }
        self = answer
    }
}

extension ExtensionResult {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var answer = ExtensionResult()
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            switch key {
            case "originalTransactionId": answer.originalTransactionID = try json.identifier()
            case "webOrderLineItemId": answer.webOrderLineItemID = try json.identifier()
            case "success": answer.success = try json.bool()
            case "effectiveDate": answer.effectiveDate = Moment(milliseconds: try json.milliseconds())
            default: try json.skip()
            }
        }
        self = answer
    }
}

extension MassExtensionStatus {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var answer = MassExtensionStatus()
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            switch key {
            case "requestIdentifier": answer.requestIdentifier = try json.answerText()
            case "complete": answer.complete = try json.bool()
            case "completeDate": answer.completeDate = Moment(milliseconds: try json.milliseconds())
            case "succeededCount": answer.succeededCount = try json.integer()
            case "failedCount": answer.failedCount = try json.integer()
            default: try json.skip()
            }
        }
        self = answer
    }
}
