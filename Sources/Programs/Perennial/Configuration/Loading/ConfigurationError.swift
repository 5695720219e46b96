/// A mistake in a configuration, as one readable line: where it stands, which key, and what is wrong.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// `perennial.yaml:3`, `PERENNIAL_HTTP_PORT` or `--port`; nil for a default.
    package let place: String?
    /// `http.port`; nil for what concerns the file as a whole.
    package let key: String?
    package let message: String

    package init(place: String?, key: String?, message: String) {
        self.place = place
        self.key = key
        self.message = message
    }

    package var description: String {
        [self.place, self.key, self.message].compactMap(\.self).joined(separator: ": ")
    }
}
