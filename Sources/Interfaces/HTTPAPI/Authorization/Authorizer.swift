import HTTPTypes

/// Decides who may do what on one node.
struct Authorizer: Sendable {
    private let tokens: [Token]

    init(tokens: [Token]) { self.tokens = tokens }

    /// - Throws: 401 and 403; nothing where there are no tokens, and `BrowserGuard` is left.
    func authorize(_ fields: RequestFields, for access: Access) throws(Problem) {
        guard !self.tokens.isEmpty, case .scope(let scope) = access else { return }
        guard let header = fields.authorization else {
            throw self.unauthenticated(#"send "Authorization: Bearer TOKEN""#)
        }
        guard let token = self.token(in: header) else {
            throw self.unauthenticated("the token is not one of this node's")
        }
        guard token.allows(scope) else {
            throw Problem(.forbidden, "token '\(token.name)' lacks the scope '\(scope.rawValue)'")
        }
    }

    /// The name of the token that a request was allowed with; nil where there are no tokens.
    func name(of fields: RequestFields) -> String? { fields.authorization.flatMap { self.token(in: $0) }?.name }

    private func token(in header: String) -> Token? {
        let parts = header.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bearer" else { return nil }
        return self.tokens.matching(parts[1])
    }

    private func unauthenticated(_ detail: String) -> Problem {
        var problem = Problem(.unauthenticated, detail)
        problem.headers[.wwwAuthenticate] = #"Bearer realm="perennial""#
        return problem
    }
}

/// What a route asks of its caller.
package enum Access: Hashable, Sendable {
    /// Nothing: health.
    case open
    /// The body's own signature.
    case signature
    case scope(Scope)
}
