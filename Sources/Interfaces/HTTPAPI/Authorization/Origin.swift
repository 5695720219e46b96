/// Where a web page was loaded from: scheme, host and port (RFC 6454).
package struct Origin: Hashable, Sendable {
    private enum Scheme: String, CaseIterable {
        case http, https

        var port: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    private let scheme: Scheme
    private let host: String
    /// The scheme's own where none is named.
    private let port: UInt16

    /// nil for anything but `http` or `https`, a host and an optional port: `null`, for one.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard let scheme = Scheme.allCases.first(where: { text.hasPrefix("\($0.rawValue)://") }),
            let authority = Authority(String(text.dropFirst(scheme.rawValue.count + 3)))
        else { return nil }
        self.scheme = scheme
        self.host = authority.host
        self.port = authority.port ?? scheme.port
    }

    /// Of a URL, whatever its path; nil for one that is not `http` or `https`, or names a user.
    package init?(ofURL text: String) {
        guard let slashes = text.firstRange(of: "://") else { return nil }
        self.init(String(text[..<slashes.upperBound] + text[slashes.upperBound...].prefix { !"/?#".contains($0) }))
    }

    /// Whether requests to `authority` go where the page came from. A `Host` names no scheme.
    func matches(_ authority: Authority) -> Bool {
        self.host == authority.host && self.port == authority.port ?? self.scheme.port
    }
}
