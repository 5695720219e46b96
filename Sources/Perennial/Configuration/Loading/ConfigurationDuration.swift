package import Subscriptions

/// A length of time as a configuration writes it: a whole number and `ms`, `s`, `m`, `h` or `d`.
package struct ConfigurationDuration: Hashable, Sendable {
    package let length: Milliseconds

    package init(_ length: Milliseconds) { self.length = length }

    private static let units: KeyValuePairs<String, Int64> = [
        "d": 86_400_000, "h": 3_600_000, "ms": 1, "m": 60_000, "s": 1_000,
    ]

    /// nil when `text` is not of the form, or too long to count in milliseconds.
    package init?(parsing text: String) {
        guard let (unit, factor) = Self.units.first(where: { text.hasSuffix($0.key) }) else { return nil }
        let digits = text.dropLast(unit.count)
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(digits) else { return nil }
        let (length, overflow) = count.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        self.length = Milliseconds(rawValue: length)
    }

    /// In the largest unit that needs no fraction.
    package var text: String {
        let largest = Self.units.filter { self.length.rawValue.isMultiple(of: $0.value) }.max { $0.value < $1.value }
        guard let largest, self.length.rawValue != 0 else { return "0s" }
        return "\(self.length.rawValue / largest.value)\(largest.key)"
    }
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
