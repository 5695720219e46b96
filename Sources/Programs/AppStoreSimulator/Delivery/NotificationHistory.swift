import Foundation
import Subscriptions
import Synchronization

/// Everything that was ever sent, and what became of each attempt: what Apple's notification history is answered from.
/// What is older than the history goes back is forgotten.
final class NotificationHistory: Sendable {
    struct Record: Sendable {
        let dispatch: Dispatch
        /// Oldest first; there is one at least.
        private(set) var attempts: [SendAttempt]

        init(_ dispatch: Dispatch, _ attempts: [SendAttempt]) {
            self.dispatch = dispatch
            self.attempts = attempts
        }

        /// Of the first attempt.
        var date: Moment { self.attempts[0].date }
        var isDelivered: Bool { self.attempts[self.attempts.count - 1].result == .success }

        fileprivate mutating func add(_ attempt: SendAttempt) { self.attempts.append(attempt) }
    }

    /// Where a page ends.
    struct Place: Hashable, Sendable {
        let date: Moment
        let uuid: String
    }

    fileprivate struct Contents {
        /// By the date of the first attempt. The first `forgotten` of all that ever were are no longer there.
        var records: [Record] = []
        var forgotten = 0
        /// By `notificationUUID`: where it is in all that ever were.
        var places: [UUID: Int] = [:]
    }

    /// How far back it goes: 180 days, in the sandbox 30.
    let length: Milliseconds
    private let contents = Mutex(Contents())

    init(environment: AppStoreEnvironment) {
        self.length = environment == .production ? .days(180) : .days(30)
    }

    func note(_ attempt: SendAttempt, of dispatch: Dispatch) {
        let uuid = UUID(uuidString: dispatch.uuid)
        self.contents.withLock { contents in
            if let place = uuid.flatMap({ contents.places[$0] }) {
                contents.records[place - contents.forgotten].add(attempt)
            } else {
                contents.insert(Record(dispatch, [attempt]))
            }
            contents.forget(before: attempt.date - self.length)
        }
    }

    /// Begins with what was sent before the simulation last stopped.
    func restore(_ records: [Record], at moment: Moment) {
        let sorted = records.filter { $0.date >= moment - self.length }.sorted { $0.date < $1.date }
        self.contents.withLock { contents in for record in sorted { contents.append(record) } }
    }

    /// nil when it was not sent, or is forgotten.
    func record(of uuid: String) -> Record? {
        guard let uuid = UUID(uuidString: uuid) else { return nil }
        return self.contents.withLock { contents in
            contents.places[uuid].map { contents.records[$0 - contents.forgotten] }
        }
    }

    /// The first records in a window of first attempts that fulfil a condition, oldest first, and whether there are more.
    ///
    /// - Parameter place: the last one of the page before.
    /// - Returns: nil when that one is forgotten.
    func page(
        from start: Moment, to end: Moment, after place: Place?, limit: Int, where isIncluded: (Record) -> Bool
    ) -> (records: [Record], hasMore: Bool)? {
        self.contents.withLock { contents in
            guard let first = contents.first(from: start, after: place) else { return nil }
            var found: [Record] = []
            for record in contents.records[first...] {
                guard record.date < end else { break }
                guard isIncluded(record) else { continue }
                if found.count == limit { return (found, true) }
                found.append(record)
            }
            return (found, false)
        }
    }
}

extension NotificationHistory.Contents {
    fileprivate mutating func append(_ record: NotificationHistory.Record) {
        if let uuid = UUID(uuidString: record.dispatch.uuid) {
            self.places[uuid] = self.forgotten + self.records.count
        }
        self.records.append(record)
    }

    /// Attempts that were under way together may end in any order.
    fileprivate mutating func insert(_ record: NotificationHistory.Record) {
        let later = self.records.reversed().prefix { $0.date > record.date }.map(\.self)
        self.records.removeLast(later.count)
        self.append(record)
        for record in later.reversed() { self.append(record) }
    }

    /// In bulk, because the rest has to move up.
    fileprivate mutating func forget(before moment: Moment) {
        let bulk = max(1_000, self.records.count / 4)
        guard self.records.count > bulk, self.records[bulk].date < moment else { return }
        for record in self.records[..<bulk] {
            if let uuid = UUID(uuidString: record.dispatch.uuid) { self.places[uuid] = nil }
        }
        self.records.removeFirst(bulk)
        self.forgotten += bulk
    }

    fileprivate func first(from start: Moment, after place: NotificationHistory.Place?) -> Int? {
        var (low, high) = (0, self.records.count)
        let from = place?.date ?? start
        while low < high {
            let middle = (low + high) / 2
            if self.records[middle].date < from { low = middle + 1 } else { high = middle }
        }
        guard let place else { return low }
        return self.records[low...].prefix { $0.date == place.date }
            .firstIndex { $0.dispatch.uuid == place.uuid }.map { $0 + 1 }
    }
}
