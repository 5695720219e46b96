import Perennial
import Subscriptions
import Testing

@Suite struct ConfigurationDurationTests {
    @Test(arguments: [
        ("2h", Milliseconds.hours(2)), ("5m", .minutes(5)), ("3s", .seconds(3)), ("500ms", Milliseconds(rawValue: 500)),
        ("30d", .days(30)), ("0s", .seconds(0)), ("90m", .minutes(90)),
    ])
    func reads(_ text: String, _ length: Milliseconds) {
        #expect(ConfigurationDuration(parsing: text)?.length == length)
    }

    @Test(arguments: [
        "", "2", "h", "2 h", "-2h", "+2h", "2.5h", "1h30m", "2H", "2 hours", "٢h", "9223372036854775807d",
    ])
    func refuses(_ text: String) {
        #expect(ConfigurationDuration(parsing: text) == nil)
    }

    @Test(arguments: ["2h", "5m", "3s", "500ms", "30d", "0s", "90m"])
    func writesWhatItReads(_ text: String) {
        #expect(ConfigurationDuration(parsing: text)?.text == text)
    }
}
