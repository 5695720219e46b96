import Subscriptions
import Testing

@Suite struct RFC3339Tests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_796_342_400_123, "2026-12-04T00:00:00.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func writesAndReads(_ milliseconds: Int64, _ text: String) {
        #expect(Moment(milliseconds: milliseconds).rfc3339 == text)
        #expect(Moment(rfc3339: text) == Moment(milliseconds: milliseconds))
    }

    @Test(arguments: [
        (Int64.max, "9999-12-31T23:59:59.999Z"), (Int64.min, "0000-01-01T00:00:00.000Z"),
    ])
    func writesNothingThatTheFormatCannotSay(_ milliseconds: Int64, _ text: String) {
        #expect(Moment(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test func everyDayOfFourCenturiesComesBack() {
        for day in stride(from: Int64(-30_000), to: 120_000, by: 1) {
            let moment = Moment(milliseconds: day * 86_400_000 + 43_200_001)
            #expect(Moment(rfc3339: moment.rfc3339) == moment)
        }
    }

    @Test(arguments: [
        ("2026-12-04T02:00:00+02:00", "2026-12-04T00:00:00.000Z"),
        ("2026-12-03T18:30:00-05:30", "2026-12-04T00:00:00.000Z"),
        ("2026-12-04t00:00:00z", "2026-12-04T00:00:00.000Z"),
        ("2026-12-04T00:00:00.5Z", "2026-12-04T00:00:00.500Z"),
        ("2026-12-04T00:00:00.1239999Z", "2026-12-04T00:00:00.123Z"),
    ])
    func readsOffsetsAndFractions(_ text: String, _ expected: String) {
        #expect(Moment(rfc3339: text)?.rfc3339 == expected)
    }

    @Test(arguments: [
        "", "2026", "2026-12-04", "2026-12-04T00:00:00", "2026-12-04 00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-12-04T24:00:00Z", "2026-12-04T00:60:00Z", "2026-12-04T00:00:60Z", "2026-12-04T00:00:00.Z",
        "2026-12-04T00:00:00+2:00", "2026-12-04T00:00:00+24:00", "2026-12-04T00:00:00Z ", "1796342400000",
        "20261-12-04T00:00:00Z", "２026-12-04T00:00:00Z",
    ])
    func refusesEverythingElse(_ text: String) {
        #expect(Moment(rfc3339: text) == nil)
    }
}
