package import Subscriptions

/// Why the Server API gave no answer that can be used. Holds no token and nothing of a payload.
package struct ServerAPIError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Apple's last word on this request, or a request that was never sent because no such one can succeed.
        case refused
        /// 401 with a token that had just been made: the key, the issuer or the bundle is wrong.
        case unauthorized
        /// 429, or no token left in our own budget before the deadline.
        case rateLimited
        /// A 5xx, a code that Apple calls retryable, or a success without an answer: nothing, or what is no JSON.
        case serverTrouble
        /// No connection, or one that broke.
        case notReached
        case timedOut
        /// A success whose body is not what it should be.
        case malformedAnswer
        case tooLarge
        case cancelled
    }

    package let code: Code
    /// Apple's `errorCode`, unknown ones too.
    package let appleCode: Int64?
    /// The HTTP status, where there was an answer.
    package let status: Int?
    /// A sentence for people: Apple's own where it gave one.
    package let message: String
    /// Whether the same request may succeed later.
    package let retryable: Bool
    /// Not before this moment.
    package let retryAfter: Moment?

    package init(
        _ code: Code, _ message: String, appleCode: Int64? = nil, status: Int? = nil, retryable: Bool? = nil,
        retryAfter: Moment? = nil
    ) {
        self.code = code
        self.appleCode = appleCode
        self.status = status
        self.message = message
        self.retryable = retryable ?? code.isRetryable
        self.retryAfter = retryAfter
    }

    /// Whether Apple may have carried out what was asked, though nobody has heard so: the connection broke, the answer did
    /// not come or cannot be read, or Apple had trouble and does not say that the same may be repeated.
    package var leavesOutcomeUnknown: Bool {
        switch self.code {
        case .notReached, .timedOut, .malformedAnswer, .tooLarge, .cancelled: true
        case .serverTrouble: self.appleCode.map(AppleCode.init)?.isRetryable != true
        case .refused, .unauthorized, .rateLimited: false
        }
    }

    package var description: String {
        let numbers = [self.status.map { "HTTP \($0)" }, self.appleCode.map { "Apple's code \($0)" }]
        let note = numbers.compactMap(\.self).joined(separator: ", ")
        return "\(self.code.rawValue): \(self.message)" + (note.isEmpty ? "" : " (\(note))")
    }
}

extension ServerAPIError.Code {
    fileprivate var isRetryable: Bool {
        switch self {
        case .rateLimited, .serverTrouble, .notReached, .timedOut: true
        case .refused, .unauthorized, .malformedAnswer, .tooLarge, .cancelled: false
        }
    }
}
