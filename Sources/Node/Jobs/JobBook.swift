package import EventLog
package import ServiceContract
package import Subscriptions

/// The rows of jobs, which every node of the store sees: notes `job/ID`.
package struct JobBook: Sendable {
    private let notes: JSONNotes
    private var store: any EventStore { self.notes.store }

    /// So many that have ended are kept.
    private static let endedLimit = 100
    private static let prefix = "job/"
    /// How often a change is tried that others forestall.
    private static let attempts = 8

    package init(store: any EventStore) { self.notes = JSONNotes(store: store) }

    private static func name(of id: String) -> String { Self.prefix + id }

    /// The newest first. A row that this version cannot read is one of another version's kinds.
    package func all() async throws(ServiceError) -> [Job] {
        try await ServiceError.translating {
            try await self.store.allBookmarks(startingWith: Self.prefix)
                .compactMap { note in try? JSONNotes.decode(note.value, note.name) as Job }
                .sorted { ($0.started, $0.id) > ($1.started, $1.id) }
        }
    }

    /// - Throws: `.unknownJob`.
    package func job(_ id: String) async throws(ServiceError) -> Job { try await self.row(of: id).job }

    /// With the note as it stands, by which it can be replaced.
    /// - Throws: `.unknownJob`.
    func row(of id: String) async throws(ServiceError) -> (job: Job, note: [UInt8]) {
        let name = Self.name(of: id)
        let note = try await ServiceError.translating { try await self.store.bookmarks([name])[name] }
        guard let note else { throw ServiceError(.unknownJob, "the store has no job of this id") }
        return (try JSONNotes.decode(note, name), note)
    }

    /// - Parameter notes: that stand beside it from the beginning.
    func add(_ job: Job, beside notes: [String: [UInt8]] = [:]) async throws(ServiceError) {
        let ended = try await self.all().filter { $0.state != .running }.dropFirst(Self.endedLimit - 1)
        try await ServiceError.translating {
            try await self.notes.remove(ended.map { Self.name(of: $0.id) })
            let row = [Self.name(of: job.id): try JSONNotes.encode(job)]
            try await self.store.setBookmarks(row.merging(notes) { row, _ in row })
        }
    }

    /// - Returns: false when somebody else has changed it since.
    func replace(_ note: [UInt8], with job: Job) async throws(ServiceError) -> Bool {
        try await ServiceError.translating {
            try await self.store.replaceBookmark(Self.name(of: job.id), note, with: try JSONNotes.encode(job))
        }
    }

    /// What it has done stays. One that has ended stays as it is.
    /// - Throws: `.unknownJob`; `.overloaded` while it goes on all the time; `.invalidRequest` for a deletion.
    package func cancel(_ id: String, at moment: Moment) async throws(ServiceError) -> Job {
        for _ in 0..<Self.attempts {
            var (job, note) = try await self.row(of: id)
            guard job.state == .running else { return job }
            guard job.kind != .erase else {
                throw ServiceError(.invalidRequest, "a deletion that has begun is not cancelled: wait for it")
            }
            (job.state, job.ended, job.message) = (.cancelled, moment, nil)
            if try await self.replace(note, with: job) { return job }
        }
        throw ServiceError(.overloaded, "the job goes on faster than it can be cancelled: try again")
    }
}
