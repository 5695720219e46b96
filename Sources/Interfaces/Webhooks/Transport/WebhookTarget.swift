import Foundation

/// A URL that webhooks can be sent to.
package struct WebhookTarget: Hashable, Sendable {
    package let url: String
    /// Without brackets.
    package let host: String
    package let isSecure: Bool

    /// nil unless it is an absolute http or https URL with a host and without user, password and fragment, of at most
    /// 2,048 bytes.
    package init?(_ url: String) {
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return nil }
        self.url = url
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.isSecure = scheme == "https"
    }

    /// The host where it is an address.
    package var literal: NetworkAddress? { NetworkAddress(self.host) }
}
