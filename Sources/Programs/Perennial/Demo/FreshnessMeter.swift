/// Reads from a node's metrics how long after its signing a change was visible.
package struct FreshnessMeter {
    private let speed: Double
    private var sum = 0.0
    private var count = 0.0

    /// - Parameter speed: simulated seconds in a real one; the node counts simulated ones.
    package init(speed: Double) { self.speed = speed }

    /// The mean since the last call, in real time; nil when nothing became visible.
    package mutating func read(_ page: String) -> Duration? {
        let sum = Self.total("perennial_freshness_seconds_sum", page)
        let count = Self.total("perennial_freshness_seconds_count", page)
        defer { (self.sum, self.count) = (sum, count) }
        guard count > self.count else { return nil }
        return .seconds((sum - self.sum) / (count - self.count) / self.speed)
    }

    /// Of all series with this name.
    private static func total(_ name: String, _ page: String) -> Double {
        page.split(separator: "\n").reduce(0) { total, line in
            guard line.hasPrefix(name), let value = line.split(separator: " ").last.flatMap({ Double($0) }) else {
                return total
            }
            return total + value
        }
    }
}
