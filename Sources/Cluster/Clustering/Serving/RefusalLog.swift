package import Logging
import Synchronization

/// Says of each peer once for what it was refused, and then at most once a minute how often: whoever sends garbage must
/// neither fill the disk nor hide what others do.
package final class RefusalLog: Sendable {
    package enum Reason: String, Sendable {
        case unlistedKey = "its key is not listed"
        case malformed = "not a frame"
        case otherName = "it claims to be another node"
        case staleRun = "a run of its node that is over"
        case otherProtocol = "it follows other rules"
        case otherAddressee = "meant for another run of this node"
        case repeated = "a call that came before"
    }

    private struct Subject: Hashable {
        var reason: Reason
        /// nil where nobody knows it, and for all that there is no room for.
        var node: String?
    }

    private struct Entry {
        var logged: ContinuousClock.Instant
        var count = 0
    }

    private static let interval = Duration.seconds(60)
    /// Beyond so many, peers share one for each reason.
    private static let subjectLimit = 256

    private let logger: Logger
    private let entries = Mutex<[Subject: Entry]>([:])

    package init(_ logger: Logger) { self.logger = logger }

    /// - Parameter node: as far as it is known, who it was.
    package func record(_ reason: Reason, node: String? = nil) {
        let now = ContinuousClock.now
        let count: Int? = self.entries.withLock { entries in
            var subject = Subject(reason: reason, node: node)
            if entries[subject] == nil, entries.count >= Self.subjectLimit {
                entries = entries.filter { now - $0.value.logged < Self.interval }
                if entries.count >= Self.subjectLimit { subject.node = nil }
            }
            guard var entry = entries[subject] else {
                entries[subject] = Entry(logged: now)
                return 1
            }
            entry.count += 1
            defer { entries[subject] = entry }
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
