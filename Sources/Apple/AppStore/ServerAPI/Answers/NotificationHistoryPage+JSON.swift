import StrictJSON
import Subscriptions

extension NotificationHistoryPage {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var page = NotificationHistoryPage()
        var items: [TestNotificationStatus] = []
        try AnswerProblem.read(body) { key, json throws(JSONError) in
            switch key {
            case "hasMore": page.hasMore = try json.bool()
            case "paginationToken": page.paginationToken = try json.answerText()
            case "notificationHistory":
                try json.readArray { json throws(JSONError) in
                    var item = TestNotificationStatus()
                    try json.readObject { key, json throws(JSONError) in try item.read(key, &json) }
                    items.append(item)
                }
            default: try json.skip()
            }
        }
        for item in items {
            guard let signedPayload = item.signedPayload else { throw .missing("signedPayload") }
            page.items.append(SentNotification(signedPayload: signedPayload, attempts: item.attempts))
        }
        self = page
    }
}

extension TestNotificationStatus {
    init(json body: [UInt8]) throws(AnswerProblem) {
        var answer = TestNotificationStatus()
        try AnswerProblem.read(body) { key, json throws(JSONError) in try answer.read(key, &json) }
        self = answer
    }

    /// An element of a notification history has the same members.
    fileprivate mutating func read(_ key: JSONKey, _ json: inout JSONScanner) throws(JSONError) {
        switch key {
        case "signedPayload": self.signedPayload = try json.signedString()
        case "sendAttempts":
            var attempts: [SentNotification.Attempt] = []
            try json.readArray { json throws(JSONError) in attempts.append(try SentNotification.Attempt(&json)) }
            self.attempts = attempts
        default: try json.skip()
        }
    }
}

extension SentNotification.Attempt {
    fileprivate init(_ json: inout JSONScanner) throws(JSONError) {
        var attempt = SentNotification.Attempt(date: nil, result: "")
        try json.readObject { key, json throws(JSONError) in
            switch key {
            case "attemptDate": attempt.date = Moment(milliseconds: try json.milliseconds())
            case "sendAttemptResult": attempt.result = try json.answerText()
            default: try json.skip()
            }
        }
        self = attempt
    }
}
