/// The `code`s of problems that arise at the HTTP boundary itself; those of the service are `ServiceError.Code`.
package enum ProblemCode: String, Sendable, CaseIterable {
    /// Not HTTP, without one `Host`, or a head beyond its bounds (400, 431).
    case malformedRequest
    /// The body is not the JSON that the request takes (400).
    case malformedBody
    /// A parameter of path, query or header; the detail names it (400).
    case invalidParameter
    /// No token, or an unknown one (401).
    case unauthenticated
    /// The token lacks the scope (403).
    case forbidden
    /// Came through a proxy to a node without tokens (403).
    case forwardedRequest
    /// Its `Host` is not this machine, and the node has no tokens (403).
    case foreignHost
    /// A web page of another origin wants to change something (403).
    case crossSiteRequest
    /// No such path (404).
    case notFound
    /// The path takes other methods (405).
    case methodNotAllowed
    /// The rest of the request did not come, or came too slowly (408).
    case requestTimeout
    /// A body beyond its bound (413).
    case bodyTooLarge
    /// More than 1,000 checks in one request (413).
    case tooManyChecks
    /// More signed items than one call takes (413).
    case tooManyItems
    /// The body is not JSON (a check may be Protocol Buffers), or is compressed; or, on a node without tokens, nothing says
    /// that no form has sent the request (415).
    case unsupportedMediaType
    /// An `Expect` other than `100-continue` (417).
    case expectationFailed
    /// The node cannot do what `readyz` asks about (503).
    case notReady
    /// Too many requests or connections at once (503).
    case tooBusy
    /// A mistake of ours (500).
    case internalError
    /// Of a check item: it does not name one customer, subscription or purchase, or names what no id can be.
    case invalidCheck
}
