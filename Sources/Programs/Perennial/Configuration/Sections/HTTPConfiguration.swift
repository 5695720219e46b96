package struct HTTPConfiguration: ConfigurationSection {
    /// `http.host`: address to listen on, `127.0.0.1` unless set. Without `http.tokens` only a loopback address.
    package var host = "127.0.0.1"
    /// `http.port`: TCP port, 8080 unless set; 0 takes a free one.
    package var port = 8080
    package var tls: TLSConfiguration?
    /// `http.tokens`: who may call the API.
    package var tokens: [TokenConfiguration] = []
    package var `public`: PublicListenerConfiguration?
    /// `http.publicURL`: under which browsers reach this listener behind a proxy that does not pass on `Host`. None unless
    /// set.
    package var publicURL: String?

    package init() {}
}

/// A second listener for the outside world: notifications and `livez` only.
package struct PublicListenerConfiguration: ConfigurationSection {
    /// `http.public.host`: address to listen on, `0.0.0.0` unless set.
    package var host = "0.0.0.0"
    /// `http.public.port`: TCP port, 8443 unless set; 0 takes a free one.
    package var port = 8443
    package var tls: TLSConfiguration?

    package init() {}
}

package struct TLSConfiguration: ConfigurationSection {
    /// `http.tls.certificate`: PEM file with the certificate and its intermediates. No default.
    package var certificate = ""
    /// `http.tls.key`: PEM file with the private key, which others must not be able to read. No default.
    package var key = ""

    package init() {}
}

package struct TokenConfiguration: ConfigurationSection {
    /// `http.tokens[].name`: shown in logs instead of the token. No default.
    package var name = ""
    /// `http.tokens[].sha256`: SHA-256 of the token in hexadecimal, as `perennial tokens new` prints it. No default.
    package var sha256 = ""
    /// `http.tokens[].scopes`: any of `read`, `write` and `admin`. No default.
    package var scopes: [String] = []

    package init() {}
}
