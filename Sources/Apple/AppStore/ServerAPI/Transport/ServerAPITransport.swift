/// Carries a request to the App Store and the answer back.
package protocol ServerAPITransport: Sendable {
    /// Ends soon after its task was cancelled.
    /// - Throws: `.notReached`, `.timedOut`, `.tooLarge` or `.cancelled`; any status is an answer.
    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer
}

/// What is sent. Its description leaves out the headers: one of them is the token.
package struct ServerAPIRequest: Sendable, CustomStringConvertible {
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    package let method: Method
    /// Scheme and host, perhaps a port and the start of a path; no slash at the end.
    package let baseURL: String
    /// Percent-encoded, from the first slash on.
    package let path: String
    /// Percent-encoded, without its question mark; empty when there is none.
    package let query: String
    package let headers: [(name: String, value: String)]
    /// JSON.
    package let body: [UInt8]?

    package init(
        method: Method, baseURL: String, path: String, query: String = "",
        headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.baseURL = baseURL
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    package var url: String { self.baseURL + self.path + (self.query.isEmpty ? "" : "?" + self.query) }

    package var description: String { "\(self.method.rawValue) \(self.path)" }
}

package struct ServerAPIAnswer: Sendable {
    package let status: Int
    /// The `Retry-After` header as it came.
    package let retryAfter: String?
    package let body: [UInt8]

    package init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}
