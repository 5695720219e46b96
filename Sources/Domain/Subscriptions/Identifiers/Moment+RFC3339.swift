/// Dates as they are written for people and programs (RFC 3339). Our own: Foundation's formatters cost more than an answer.
extension Moment {
    private static let earliest: Int64 = -62_167_219_200_000  // 0000-01-01T00:00:00.000Z
    private static let latest: Int64 = 253_402_300_799_999  // 9999-12-31T23:59:59.999Z

    /// `2026-12-04T00:00:00.000Z`: always UTC, always milliseconds. What lies outside the years 0000 to 9999, which the
    /// format cannot say, becomes the first or the last moment within.
    package var rfc3339: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            self.write(to: buffer)
            return Self.textLength
        }
    }

    /// Appends `rfc3339` without making a text of it.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.textLength) { buffer in
            self.write(to: buffer)
            bytes.append(contentsOf: buffer)
        }
    }

    private static let textLength = 24

    private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let milliseconds = Swift.min(Swift.max(self.milliseconds, Self.earliest), Self.latest) - Self.earliest
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let date = CivilDate(daysSinceYear0: Int(days))
        let time = Int(rest)
        func pair(_ value: Int, at offset: Int) {
            let tens = UInt8(truncatingIfNeeded: value / 10)
            buffer[offset] = .init(ascii: "0") + tens
            buffer[offset + 1] = .init(ascii: "0") + (UInt8(truncatingIfNeeded: value) - tens * 10)
        }
        pair(date.year / 100, at: 0)
        pair(date.year % 100, at: 2)
        buffer[4] = .init(ascii: "-")
        pair(date.month, at: 5)
        buffer[7] = .init(ascii: "-")
        pair(date.day, at: 8)
        buffer[10] = .init(ascii: "T")
        pair(time / 3_600_000, at: 11)
        buffer[13] = .init(ascii: ":")
        pair(time / 60_000 % 60, at: 14)
        buffer[16] = .init(ascii: ":")
        pair(time / 1_000 % 60, at: 17)
        buffer[19] = .init(ascii: ".")
        pair(time % 1_000 / 10, at: 20)
        buffer[22] = .init(ascii: "0") + UInt8(time % 10)
        buffer[23] = .init(ascii: "Z")
    }

    /// Reads a date with any offset, and with or without a fraction of a second, of which milliseconds count. nil for
    /// everything else, leap seconds and days that do not exist too.
    package init?(rfc3339 text: some StringProtocol) {
        var digits = DigitReader(text.utf8)
        guard let year = digits.number(of: 4), digits.skip("-"), let month = digits.number(of: 2), digits.skip("-"),
            let day = digits.number(of: 2), digits.skip("T") || digits.skip("t"),
            let hour = digits.number(of: 2), hour < 24, digits.skip(":"),
            let minute = digits.number(of: 2), minute < 60, digits.skip(":"),
            let second = digits.number(of: 2), second < 60,
            let days = CivilDate(year: year, month: month, day: day).daysSinceYear0
        else { return nil }
        var millisecond = 0
        if digits.skip(".") {
            guard let fraction = digits.fraction() else { return nil }
            millisecond = fraction
        }
        var offset = 0
        if !digits.skip("Z"), !digits.skip("z") {
            let isEast = digits.skip("+")
            guard isEast || digits.skip("-"), let hours = digits.number(of: 2), hours < 24, digits.skip(":"),
                let minutes = digits.number(of: 2), minutes < 60
            else { return nil }
            offset = (isEast ? 1 : -1) * (hours * 60 + minutes)
        }
        guard digits.isAtEnd else { return nil }
        let minutes = (days * 24 + hour) * 60 + minute - offset
        self.init(milliseconds: Self.earliest + Int64((minutes * 60 + second) * 1_000 + millisecond))
    }
}

extension Moment: CustomStringConvertible {
    /// RFC 3339, or the bare milliseconds outside the years that it can say.
    package var description: String {
        (Self.earliest...Self.latest).contains(self.milliseconds) ? self.rfc3339 : String(self.milliseconds)
    }

    /// Days since 1970, UTC.
    var day: Int64 {
        let (quotient, remainder) = self.rawValue.quotientAndRemainder(dividingBy: 86_400_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

private struct DigitReader<Bytes: Collection<UInt8>> {
    private var rest: Bytes.SubSequence

    init(_ bytes: Bytes) { self.rest = bytes[...] }

    var isAtEnd: Bool { self.rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard self.rest.first == UInt8(ascii: character) else { return false }
        self.rest.removeFirst()
        return true
    }

    mutating func number(of count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = self.digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// At least one digit; the first three are milliseconds.
    mutating func fraction() -> Int? {
        guard var value = self.digit() else { return nil }
        var count = 1
        while let digit = self.digit() {
            count += 1
            if count <= 3 { value = value * 10 + digit }
        }
        return count == 1 ? value * 100 : count == 2 ? value * 10 : value
    }

    private mutating func digit() -> Int? {
        guard let byte = self.rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        self.rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }
}
