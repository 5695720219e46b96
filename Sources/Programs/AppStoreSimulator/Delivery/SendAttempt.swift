package import Subscriptions

/// One try to deliver a notification, as Apple's history shows it.
package struct SendAttempt: Hashable, Sendable {
    package let date: Moment
    package let result: Result

    package init(date: Moment, result: Result) {
        self.date = date
        self.result = result
    }

    /// Apple's `sendAttemptResult`. Of Apple's values `UNSUPPORTED_CHARSET` does not occur: nothing is read from an
    /// answer but its status.
    package enum Result: String, Sendable, Codable, CaseIterable {
        case success = "SUCCESS"
        /// No answer within the time that there is, or no connection.
        case timedOut = "TIMED_OUT"
        /// No TLS session, or a certificate that is not trusted.
        case tlsIssue = "TLS_ISSUE"
        /// A redirect: none is followed.
        case circularRedirect = "CIRCULAR_REDIRECT"
        /// The connection was closed without an answer.
        case noResponse = "NO_RESPONSE"
        /// Nobody listens, or the connection was reset.
        case socketIssue = "SOCKET_ISSUE"
        /// The answer is not HTTP.
        case invalidResponse = "INVALID_RESPONSE"
        /// The connection was closed within the answer.
        case prematureClose = "PREMATURE_CLOSE"
        /// Any status outside 200…206 that is no redirect.
        case unsuccessfulCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        case other = "OTHER"
    }
}

extension SendAttempt: Codable {
    private enum CodingKeys: String, CodingKey { case date, result }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.date = Moment(milliseconds: try values.decode(Int64.self, forKey: .date))
        self.result = try values.decode(Result.self, forKey: .result)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(self.date.milliseconds, forKey: .date)
        try values.encode(self.result, forKey: .result)
    }
}
