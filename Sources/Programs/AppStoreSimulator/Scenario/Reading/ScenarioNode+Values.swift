import Subscriptions

/// What single values mean.
extension ScenarioNode {
    func text() throws(ScenarioError) -> String {
        guard let text = self.scalar, !self.isNothing else { throw self.expected("text") }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw self.mistake("there are control characters in it")
        }
        return text
    }

    /// The publisher's id for somebody. One in the form of a UUID is the same in any case.
    func customerID() throws(ScenarioError) -> String {
        let text = try self.text()
        guard (1...128).contains(text.utf8.count) else { throw self.expected("a customer's id of 1 to 128 bytes") }
        return text.isUUID ? text.lowercased() : text
    }

    /// What an app may give as `appAccountToken`, in lower case.
    func accountToken() throws(ScenarioError) -> String {
        guard let text = self.scalar, text.isUUID else { throw self.expected("a UUID") }
        return text.lowercased()
    }

    /// What Apple allows in the ids of products and offers, and a little more.
    func identifier() throws(ScenarioError) -> String {
        guard let text = self.scalar, (1...100).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw self.expected("an id of up to 100 visible ASCII characters") }
        return text
    }

    func flag() throws(ScenarioError) -> Bool {
        switch self.scalar {
        case "true": true
        case "false": false
        default: throw self.expected("true or false")
        }
    }

    func number(in range: ClosedRange<Int>) throws(ScenarioError) -> Int {
        guard let number = self.scalar.flatMap(Self.wholeNumber), range.contains(number) else {
            throw self.expected("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func probability() throws(ScenarioError) -> Double {
        guard let text = self.scalar, text.utf8.allSatisfy({ Self.isDigit($0) || $0 == UInt8(ascii: ".") }),
            let value = Double(text), (0...1).contains(value)
        else { throw self.expected("a probability from 0 to 1, such as 0.25") }
        return value
    }

    /// In milliunits.
    func price() throws(ScenarioError) -> Int64 {
        guard let price = self.scalar.flatMap(Self.thousandths), price <= 1_000_000_000_000 else {
            throw self.expected("a price such as 9.99, with three digits after the point at most")
        }
        return price
    }

    /// In thousandths of a percent.
    func percentage() throws(ScenarioError) -> Int64 {
        guard let share = self.scalar.flatMap(Self.thousandths), (1...100_000).contains(share) else {
            throw self.expected("a percentage above 0, up to 100, such as 50")
        }
        return share
    }

    func duration(
        _ range: ClosedRange<Milliseconds> = .seconds(0)...Self.longest
    ) throws(ScenarioError) -> Milliseconds {
        guard let duration = self.scalar.flatMap(Milliseconds.init(parsing:)) else {
            throw self.expected("a length of time such as 36h or 14d")
        }
        guard range.contains(duration) else {
            throw self.mistake("has to be from \(range.lowerBound.text) to \(range.upperBound.text)")
        }
        return duration
    }

    func calendarPeriod() throws(ScenarioError) -> CalendarPeriod {
        guard let period = self.scalar.flatMap(CalendarPeriod.init(iso8601:)) else {
            throw self.expected("a period such as P1W, P1M or P1Y, up to ten years")
        }
        return period
    }

    /// A word that stands for a value.
    func choice<Value>(_ what: String, _ known: KeyValuePairs<String, Value>) throws(ScenarioError) -> Value {
        guard let text = self.scalar, let value = known.first(where: { $0.key == text })?.value else {
            guard self.scalar != nil, !self.isNothing else { throw self.expected("a \(what)") }
            throw self.unknown(what, among: known.map(\.key))
        }
        return value
    }

    /// A hundred years.
    static let longest = Milliseconds.days(36_500)

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Of at most 15 digits.
    static func wholeNumber(_ text: some StringProtocol) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(self.isDigit) else { return nil }
        return Int(text)
    }

    /// `9.99` is 9,990, exactly. nil for everything but digits and a point with one to three of them after it.
    private static func thousandths(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Self.wholeNumber(parts[0]), whole <= 1_000_000_000 else { return nil }
        guard parts.count == 2 else { return Int64(whole) * 1_000 }
        guard parts[1].utf8.count <= 3, let fraction = Self.wholeNumber(parts[1]) else { return nil }
        return Int64(whole) * 1_000 + Int64(fraction) * [100, 10, 1][parts[1].utf8.count - 1]
    }
}

extension CalendarPeriod {
    /// P3D, P1W, P1M or P1Y: one unit, and ten years at most.
    fileprivate init?(iso8601 text: String) {
        guard text.first == "P", let unit = text.last,
            let count = ScenarioNode.wholeNumber(text.dropFirst().dropLast()),
            count > 0
        else { return nil }
        switch (unit, Int64(count)) {
        case ("D", let count) where count <= 3_650: self = .days(count)
        case ("W", let count) where count <= 520: self = .weeks(count)
        case ("M", let count) where count <= 120: self = .months(count)
        case ("Y", let count) where count <= 10: self = .years(count)
        default: return nil
        }
    }
}
