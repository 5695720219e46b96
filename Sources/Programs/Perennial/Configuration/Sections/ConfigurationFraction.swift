/// A decimal number of a configuration, such as `0.5`.
package struct ConfigurationFraction: Hashable, Sendable {
    package let value: Double

    package init(_ value: Double) { self.value = value }

    /// nil for what is not written with digits and at most one point: `1e-1`, `.5`, `nan`.
    package init?(parsing text: String) {
        guard text.wholeMatch(of: #/-?[0-9]+(\.[0-9]+)?/#) != nil, let value = Double(text), value.isFinite else {
            return nil
        }
        self.value = value
    }
}

extension ConfigurationFraction: ConfigurationScalar {
    package static let expectation = "a number such as 0.5"

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let fraction = ConfigurationFraction(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.expectation)
        }
        self = fraction
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(self.value)")
    }
}
