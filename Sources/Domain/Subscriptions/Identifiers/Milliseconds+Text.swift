/// Lengths of time as people write them in files: a whole number and `ms`, `s`, `m`, `h` or `d`.
extension Milliseconds {
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
        self.init(rawValue: length)
    }

    /// In the largest unit that needs no fraction.
    package var text: String {
        let largest = Self.units.filter { self.rawValue.isMultiple(of: $0.value) }.max { $0.value < $1.value }
        guard let largest, self.rawValue != 0 else { return "0s" }
        return "\(self.rawValue / largest.value)\(largest.key)"
    }
}
