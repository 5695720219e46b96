import StrictJSON
import Subscriptions

/// One request, apart from where it goes to and who sends it.
struct ServerAPICall: Sendable {
    let endpoint: ServerAPIEndpoint
    let method: ServerAPIRequest.Method
    /// Percent-encoded.
    private let path: String
    private let query: [(name: String, value: String)]
    private let body: [UInt8]?

    /// - Parameter path: begins with a slash; identifiers in it are percent-encoded already.
    init(
        _ endpoint: ServerAPIEndpoint, _ method: ServerAPIRequest.Method, _ path: String,
        query: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.endpoint = endpoint
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    init(
        _ endpoint: ServerAPIEndpoint, _ method: ServerAPIRequest.Method, _ path: String,
        query: [(name: String, value: String)] = [], object: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter()
        json.object(object)
        self.init(endpoint, method, path, query: query, body: json.bytes)
    }

    func request(baseURL: String, token: String) -> ServerAPIRequest {
        var headers = [
            (name: "Authorization", value: "Bearer \(token)"), (name: "User-Agent", value: "perennial"),
            (name: "Accept", value: "application/json"),
        ]
        if self.body != nil { headers.append((name: "Content-Type", value: "application/json")) }
        let query = self.query.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return ServerAPIRequest(
            method: self.method, baseURL: baseURL, path: self.path, query: query, headers: headers, body: self.body)
    }

    /// An extension that is carried out twice gives twice the days and uses up one of two a year: where nobody knows
    /// whether Apple has done it, it is not asked for again.
    func mayRepeat(after error: ServerAPIError) -> Bool {
        switch error.code {
        case .rateLimited: error.status != nil
        case .serverTrouble, .notReached, .timedOut:
            self.endpoint != .extendRenewalDate || !error.leavesOutcomeUnknown
        case .refused, .unauthorized, .malformedAnswer, .tooLarge, .cancelled: false
        }
    }
}

extension String {
    /// Every byte but the unreserved ones (RFC 3986 §2.3) as two hexadecimal digits.
    var percentEncoded: String {
        var text = ""
        for byte in self.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }

    /// For a path. Nothing is sent for what cannot be an id: it would name another resource.
    /// - Throws: `.refused` unless this is 1…128 visible ASCII characters, and no step through a path.
    func pathSegment(_ name: String) throws(ServerAPIError) -> String {
        guard self.isIdentifier, self != ".", self != ".." else {
            throw ServerAPIError(.refused, "\(name) is not 1 to 128 visible ASCII characters that name something")
        }
        return self.percentEncoded
    }
}
