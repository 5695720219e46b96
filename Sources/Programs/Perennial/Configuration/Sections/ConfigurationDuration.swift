package import Subscriptions

/// A length of time as a configuration writes it: a whole number and `ms`, `s`, `m`, `h` or `d`.
package struct ConfigurationDuration: Hashable, Sendable {
    package let length: Milliseconds

    package init(_ length: Milliseconds) { self.length = length }

    /// nil when `text` is not of the form, or too long to count in milliseconds.
    package init?(parsing text: String) {
        guard let length = Milliseconds(parsing: text) else { return nil }
        self.length = length
    }

    /// In the largest unit that needs no fraction.
    package var text: String { self.length.text }
}

extension ConfigurationDuration: ConfigurationScalar {
    package static let expectation = "a length of time such as 2h, 5m, 3s or 500ms"

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let duration = ConfigurationDuration(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.expectation)
        }
        self = duration
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }
}
