/// One try of Apple to deliver a notification, as Apple tells of it.
package struct SendAttempt {
    /// Apple's `sendAttemptResult`.
    private let result: String

    package init(result: String) { self.result = result }

    /// What happened, and what an operator can do about it.
    package var sentence: String {
        switch self.result {
        case "SUCCESS": "Apple could deliver it: your endpoint answered with 200."
        case "TIMED_OUT":
            """
            Apple waited for your endpoint and got no answer in time: check that the proxy in front of the node passes \
            requests on, and what `/readyz` of the node says.
            """
        case "TLS_ISSUE", "SSL_ISSUE":
            """
            Apple could not agree on TLS with your endpoint: check that the certificate is publicly trusted and not \
            expired, is for that host name, comes with its intermediates, and that TLS 1.2 or later is spoken.
            """
        case "CIRCULAR_REDIRECT":
            "Your endpoint sends Apple round in a circle: take the redirects away that lead back to the same URL."
        case "NO_RESPONSE":
            """
            Apple got no HTTP answer from your endpoint: check that its host name resolves in public, that its port is open \
            to the internet, and that an HTTP server listens there.
            """
        case "SOCKET_ISSUE":
            """
            The network between Apple and your endpoint failed: check that no firewall cuts connections from Apple's \
            addresses (17.0.0.0/8), and try again.
            """
        case "UNSUPPORTED_CHARSET":
            "Your endpoint answered in a charset that Apple does not know: let its answers say UTF-8, or none."
        case "INVALID_RESPONSE":
            "Your endpoint answered with what Apple cannot read as HTTP: check what else answers at that address."
        case "PREMATURE_CLOSE":
            """
            Your endpoint closed the connection before Apple had sent everything: check the time and size limits of the \
            proxy in front of the node.
            """
        case "UNSUCCESSFUL_HTTP_RESPONSE_CODE":
            """
            Your endpoint answered, but not with 200: check that the URL in App Store Connect ends in \
            `/v1/apple/notifications`, and look into the log of the node or of the proxy in front of it for the status.
            """
        case "OTHER": "Apple could not deliver it, and does not say why: try again, and look into your endpoint's log."
        case "": "Apple does not say how its attempt ended: ask again later."
        default: "Apple's attempt ended with \(self.result), which this version of Perennial does not know."
        }
    }
}
