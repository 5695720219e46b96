import StrictJSON
import Subscriptions

/// An answer that is no success (Apple's Error Codes).
struct Refusal {
    /// Apple enforces its limits over an hour: whoever has waited for one may begin again.
    private static let longestPause = Milliseconds.hours(1)
    /// Without a moment to wait for that makes sense: one in the past, as a number of seconds would be, tells nothing.
    private static let usualPause = Milliseconds.seconds(10)
    private static let longestMessage = 300

    private let status: Int
    private let appleCode: AppleCode?
    private let message: String
    private let retryAfter: String?

    /// - Parameter token: is left out of the message, should somebody on the way have repeated it.
    init(_ answer: ServerAPIAnswer, hiding token: String) {
        self.status = answer.status
        self.retryAfter = answer.retryAfter
        let body = ErrorBody(answer.body)
        self.appleCode = body?.code.map(AppleCode.init)
        if let message = body?.message, !message.isEmpty, !message.contains(token) {
            self.message = String(message.prefix(Self.longestMessage))
        } else {
            self.message = "the App Store refused the request"
        }
    }

    var code: ServerAPIError.Code {
        guard self.status != 401 else { return .unauthorized }
        switch self.appleCode?.status ?? self.status {
        case 429: return .rateLimited
        case 500..<600: return .serverTrouble
        default: return self.appleCode?.isRetryable == true ? .serverTrouble : .refused
        }
    }

    /// How long not to send. `Retry-After` is an absolute moment in milliseconds.
    func pause(now: Moment) -> Milliseconds {
        guard let moment = self.retryAfter.flatMap({ Int64($0) }), moment > now.milliseconds else {
            return Self.usualPause
        }
        return min(Self.longestPause, Milliseconds(rawValue: moment - now.milliseconds))
    }

    func error(retryAfter: Moment?) -> ServerAPIError {
        // The status of a test may come a little later.
        let isLater = self.appleCode == .testNotificationNotFound
        return ServerAPIError(
            self.code, self.message, appleCode: self.appleCode?.rawValue, status: self.status,
            retryable: isLater ? true : nil, retryAfter: retryAfter)
    }
}

/// `{"errorCode": …, "errorMessage": …}`; a 401 has none, and what stands between us and Apple may send anything.
private struct ErrorBody {
    private(set) var code: Int64?
    private(set) var message: String?

    init?(_ body: [UInt8]) {
        do throws(JSONError) { try self.read(JSONScanner(body)) } catch { return nil }
    }

    private mutating func read(_ document: JSONScanner) throws(JSONError) {
        var json = document
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "errorCode": self.code = try json.integer()
            case "errorMessage": self.message = try json.text()
            default: try json.skip()
            }
        }
        try json.end()
    }
}
