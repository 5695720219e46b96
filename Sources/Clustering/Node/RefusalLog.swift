import Logging
import Synchronization

/// Says that something was refused once, and then at most once a minute how often: whoever sends garbage must not fill
/// the disk.
final class RefusalLog: Sendable {
    enum Reason: String, Sendable {
        case unlistedKey = "its key is not listed"
        case malformed = "not a frame"
        case otherName = "it claims to be another node"
        case staleRun = "a run of its node that is over"
        case otherProtocol = "it follows other rules"
        case otherAddressee = "meant for another run of this node"
    }

    private struct Entry {
        var logged: ContinuousClock.Instant
        var count = 0
    }

    private static let interval = Duration.seconds(60)

    private let logger: Logger
    private let entries = Mutex<[Reason: Entry]>([:])

    init(_ logger: Logger) { self.logger = logger }

    /// - Parameter node: as far as it is known, who it was.
    func record(_ reason: Reason, node: String? = nil) {
        let now = ContinuousClock.now
        let count: Int? = self.entries.withLock { entries in
            guard var entry = entries[reason] else {
                entries[reason] = Entry(logged: now)
                return 1
            }
            entry.count += 1
            defer { entries[reason] = entry }
            guard now - entry.logged >= Self.interval else { return nil }
            defer { entry = Entry(logged: now) }
            return entry.count
        }
        guard let count else { return }
        self.logger.warning(
            "A message from another node was refused",
            metadata: .cluster([.reason: "\(reason.rawValue)", .node: "\(node ?? "unknown")", .count: "\(count)"]))
    }
}
