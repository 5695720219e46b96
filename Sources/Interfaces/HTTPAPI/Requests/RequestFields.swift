import HTTPTypes

/// The fields of a request that this server goes by, found in one pass: looking for each by name is what a short
/// request would spend most of its time on.
struct RequestFields {
    private(set) var requestID: String?
    private(set) var connection: String?
    private(set) var authorization: String?
    private(set) var expect: String?
    private(set) var accept: String?
    private(set) var contentType: String?
    private(set) var contentEncoding: String?
    private(set) var contentLength: String?
    private(set) var atLeast: String?
    private(set) var lastEventID: String?
    private(set) var origin: String?
    private(set) var fetchSite: String?
    /// It came through a proxy that says so.
    private(set) var isForwarded = false
    /// A `Host` beside the one that is the request's authority.
    private(set) var hasSecondHost = false
    /// `Perennial-Client` or another of ours. A page of another origin has to ask for leave to send it, and gets none.
    private(set) var hasOwnField = false

    init(_ fields: HTTPFields) {
        for field in fields {
            switch field.name.canonicalName {
            case "x-request-id": Self.add(field, to: &self.requestID)
            case "connection": Self.add(field, to: &self.connection)
            case "authorization": Self.add(field, to: &self.authorization)
            case "expect": Self.add(field, to: &self.expect)
            case "accept": Self.add(field, to: &self.accept)
            case "content-type": Self.add(field, to: &self.contentType)
            case "content-encoding": Self.add(field, to: &self.contentEncoding)
            case "content-length": Self.add(field, to: &self.contentLength)
            case "perennial-at-least":
                Self.add(field, to: &self.atLeast)
                self.hasOwnField = true
            case "last-event-id": Self.add(field, to: &self.lastEventID)
            case "origin": Self.add(field, to: &self.origin)
            case "sec-fetch-site": Self.add(field, to: &self.fetchSite)
            case "host": self.hasSecondHost = true
            case "forwarded", "via", "x-real-ip": self.isForwarded = true
            case let name where name.hasPrefix("x-forwarded-"): self.isForwarded = true
            case let name where name.hasPrefix("perennial-"): self.hasOwnField = true
            default: break
            }
        }
    }

    /// A field that stands there twice is one list (RFC 9110 §5.2).
    private static func add(_ field: HTTPField, to value: inout String?) {
        value = value.map { $0 + ", " + field.value } ?? field.value
    }
}
