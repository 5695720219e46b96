import AppStore
import Hummingbird
import ServiceContract
import StrictJSON
import SubscriptionService

/// An answer that is not what was asked for, as `application/problem+json` (RFC 9457). `detail` is for people and never
/// holds what a request carried, but for a name that is none of those that can stand in its place.
struct Problem: Error {
    private(set) var status: HTTPResponse.Status
    let code: String
    let title: String
    let detail: String
    /// The same request may succeed later.
    var retryable = false
    /// Seconds, for `Retry-After`.
    var retryAfter: Int?
    var headers: HTTPFields = [:]
    /// What came with the request was recorded all the same: the member `recorded`.
    var isRecorded = false
    /// The rest of the request is not read: the connection ends with this answer.
    var closesConnection = false

    init(status: HTTPResponse.Status, code: String, title: String, detail: String) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
    }

    init(_ code: ProblemCode, _ detail: String) {
        self.init(status: code.status, code: code.rawValue, title: code.title, detail: detail)
        if code.status == .serviceUnavailable {
            self.retryable = true
            self.retryAfter = 1
        }
    }

    init(_ error: ServiceError) {
        let appleCode = (error.cause as? ServerAPIError)?.appleCode
        self.init(
            status: error.code.status, code: error.code.rawValue, title: error.code.title,
            detail: error.message + (appleCode.map { " (Apple's code \($0))" } ?? ""))
        self.retryable = error.retryable
        self.retryAfter = error.retryAfter
    }

    static func invalidParameter(_ name: String, _ rule: String) -> Problem {
        Problem(.invalidParameter, "\(name): \(rule)")
    }

    /// The same trouble for Apple, who shall come again whatever it is that went wrong here.
    func askingForRedelivery() -> Problem {
        var problem = self
        problem.status = .serviceUnavailable
        problem.retryable = true
        problem.retryAfter = 60
        return problem
    }

    func response() -> Response {
        let (head, body) = self.rendered()
        return Response(status: head.status, headers: head.headerFields, body: ResponseBody(byteBuffer: body))
    }

    func rendered() -> (head: HTTPResponse, body: ByteBuffer) {
        var json = JSONWriter(reservingCapacity: 256)
        json.object { json in
            json.member("type", "urn:perennial:problem:\(self.code)")
            json.member("title", self.title)
            json.member("status", Int64(self.status.code))
            json.member("detail", self.detail)
            json.member("code", self.code)
            json.member("retryable", self.retryable)
            if self.isRecorded { json.member("recorded", true) }
        }
        var headers = self.headers
        headers[.contentType] = "application/problem+json"
        if let retryAfter = self.retryAfter { headers[.retryAfter] = String(retryAfter) }
        if self.closesConnection { headers[.connection] = "close" }
        headers[.contentLength] = String(json.bytes.count)
        return (HTTPResponse(status: self.status, headerFields: headers), ByteBuffer(bytes: json.bytes))
    }
}

extension ProblemCode {
    var status: HTTPResponse.Status {
        switch self {
        case .malformedRequest, .malformedBody, .invalidParameter, .invalidCheck: .badRequest
        case .unauthenticated: .unauthorized
        case .forbidden, .forwardedRequest, .foreignHost, .crossSiteRequest: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .requestTimeout: .requestTimeout
        case .bodyTooLarge, .tooManyChecks, .tooManyItems: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .expectationFailed: .expectationFailed
        case .notReady, .tooBusy: .serviceUnavailable
        case .internalError: .internalServerError
        }
    }

    fileprivate var title: String {
        switch self {
        case .malformedRequest: "The request is not HTTP as this server takes it"
        case .malformedBody: "The body is not what this request takes"
        case .invalidParameter: "A parameter is not valid"
        case .unauthenticated: "A token is needed"
        case .forbidden: "The token does not allow this"
        case .forwardedRequest: "Requests through a proxy need tokens"
        case .foreignHost: "The host is not this machine"
        case .crossSiteRequest: "Pages of other origins may change nothing"
        case .notFound: "There is nothing here"
        case .methodNotAllowed: "This path takes other methods"
        case .requestTimeout: "The request took too long to come"
        case .bodyTooLarge: "The body is too large"
        case .tooManyChecks: "Too many checks in one request"
        case .tooManyItems: "Too many items in one request"
        case .unsupportedMediaType: "The body is not in a form that this request takes"
        case .expectationFailed: "The expectation cannot be met"
        case .notReady: "The node is not ready"
        case .tooBusy: "The node has too much to do"
        case .internalError: "Something went wrong here"
        case .invalidCheck: "The check cannot be asked"
        }
    }
}
