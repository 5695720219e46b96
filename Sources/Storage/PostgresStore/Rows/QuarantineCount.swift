import EventLog
import Synchronization

/// What a node knows of how full the quarantine is: counted in the database now and then, since other nodes write there
/// too, and in between by what this node adds and takes away.
final class QuarantineCount: Sendable {
    private static let goodFor = Duration.seconds(5)

    private struct Counted {
        var usage: QuarantineUsage
        let at: ContinuousClock.Instant
    }

    private let counted = Mutex<Counted?>(nil)

    /// nil when it has to be counted.
    var usage: QuarantineUsage? {
        self.counted.withLock { counted in
            guard let counted, .now - counted.at < Self.goodFor else { return nil }
            return counted.usage
        }
    }

    /// - Parameter start: when counting began.
    func set(_ usage: QuarantineUsage, from start: ContinuousClock.Instant) {
        self.counted.withLock { $0 = Counted(usage: usage, at: start) }
    }

    func add(rows: Int = 1, bytes: Int, reason: String) {
        self.counted.withLock { $0?.usage.add(rows: rows, bytes: bytes, reason: reason) }
    }
}
