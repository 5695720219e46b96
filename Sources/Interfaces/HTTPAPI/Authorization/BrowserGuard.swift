import HTTPTypes

/// Keeps web pages away from one listener. A page cannot connect by itself; the browser of somebody who may do so sends
/// what the page wants.
struct BrowserGuard: Sendable {
    /// No token is asked for and the loopback address is all the protection. Pages get past that by a name of theirs that
    /// leads to it (DNS rebinding), and by requests for which no browser asks the node first.
    private let isUnprotected: Bool
    private let publicOrigin: Origin?

    /// - Parameters:
    ///   - isUnprotected: the main listener of a node without tokens.
    ///   - publicOrigin: of `http.publicURL`.
    init(isUnprotected: Bool, publicOrigin: Origin?) {
        self.isUnprotected = isUnprotected
        self.publicOrigin = publicOrigin
    }

    /// - Throws: 400 unless the request names one host; two could be told apart by a proxy in another way than here.
    func authority(of request: HTTPRequest, _ fields: RequestFields) throws(Problem) -> Authority {
        guard !fields.hasSecondHost, let authority = request.authority.flatMap(Authority.init) else {
            throw Problem(.malformedRequest, "send one Host field, with a host and an optional port")
        }
        return authority
    }

    /// - Throws: 403, and 415 where a media type is missing that no form can have.
    func check(
        _ fields: RequestFields, to authority: Authority, for access: Access, isSafe: Bool
    ) throws(Problem) {
        let isUnprotected = self.isUnprotected && access != .signature
        if isUnprotected {
            guard !fields.isForwarded else {
                throw Problem(.forwardedRequest, "configure http.tokens to take requests through a proxy")
            }
            guard authority.isLoopback else {
                throw Problem(
                    .foreignHost,
                    "without http.tokens a node answers to localhost, 127.0.0.0/8 and [::1] only, and Host names another"
                )
            }
        }
        guard !isSafe else { return }
        guard self.isOwn(fields, authority) else {
            throw Problem(
                .crossSiteRequest,
                "it comes from a web page of another origin; behind a proxy, have it pass on Host, or set http.publicURL"
            )
        }
        guard !isUnprotected || fields.hasOwnField || BodyFormat(contentType: fields.contentType ?? "") != nil else {
            throw Problem(
                .unsupportedMediaType,
                "without http.tokens send Content-Type: application/json or Perennial-Client: NAME")
        }
    }

    /// Programs that are no browsers send neither field.
    private func isOwn(_ fields: RequestFields, _ authority: Authority) -> Bool {
        guard fields.fetchSite?.lowercased() != "cross-site" else { return false }
        guard let text = fields.origin else { return true }
        guard let origin = Origin(text) else { return false }
        return origin == self.publicOrigin || origin.matches(authority)
    }
}
