/// What a comparison has found, in numbers and short lines.
struct Findings: Sendable {
    var customers = 0
    var streams = 0
    var notifications = 0
    var deliveries = 0
    var answers = 0
    /// Differences by why they had to be.
    var explained: [String: Int] = [:]
    private(set) var unexplained = 0
    /// By what kind of difference it is.
    private(set) var kinds: [String: Int] = [:]
    private(set) var lines: [String] = []

    private static let lineLimit = 20

    mutating func report(_ line: String, kind: String) {
        self.unexplained += 1
        self.kinds[kind, default: 0] += 1
        if self.lines.count < Self.lineLimit { self.lines.append(line) }
    }

    mutating func add(_ other: Findings) {
        self.customers += other.customers
        self.streams += other.streams
        self.notifications += other.notifications
        self.deliveries += other.deliveries
        self.answers += other.answers
        self.explained.merge(other.explained, uniquingKeysWith: +)
        self.unexplained += other.unexplained
        self.kinds.merge(other.kinds, uniquingKeysWith: +)
        self.lines = Array((self.lines + other.lines).prefix(Self.lineLimit))
    }

    /// What is wrong, for people.
    var report: String {
        let kinds = self.kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) × \($0.key)" }
        return (kinds.prefix(Self.lineLimit) + self.lines).joined(separator: "\n")
    }

    var summary: String {
        let reasons = self.explained.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(self.customers) customers, \(self.streams) streams, \(self.notifications) notifications, "
            + "\(self.deliveries) deliveries, \(self.answers) answers compared; explained: "
            + (reasons.isEmpty ? "none" : reasons.joined(separator: ", ")) + "; unexplained: \(self.unexplained)"
    }
}
