import Entitlements
import EventLog
import Ownership
import ServiceContract
import Shards
import Subscriptions
import WireProtocol

/// The work of a `reevaluate` job: looks at the row of every stream, and has the owners of those look on whose answer may have changed.
struct Reevaluating: Sendable {
    let router: ShardRouter
    let rulebook: Rulebook
    let teller: RulesTeller
    let book: CatalogBook
    let clock: ClockWatch
    let reviewer: any CustomerReviewing

    private static let page = 256
    private static let reviewedAtOnce = 64
    /// Commands that are under way at a time.
    private static let width = 16
    /// Streams a second, so that nothing urgent waits: those that are looked at, and those whose owners are asked.
    private static let examinedPerSecond = 20_000
    private static let askedPerSecond = 1_000

    /// One page. The job is moved on behind it, and ended behind the last. It begins anew where the history of catalogs has changed.
    /// - Returns: how long to rest.
    /// - Throws: retryable codes, after which the page can be done again.
    func step(_ job: inout Job) async throws(ServiceError) -> Duration {
        guard let reevaluator = self.rulebook.reevaluator else {
            throw ServiceError(.stopping, "the node does not know yet what was told before")
        }
        guard job.mark.answersLike(reevaluator.mark), !(try await self.teller.someNodeIsBehind()) else {
            throw Self.otherRules
        }
        if job.mark != reevaluator.mark {
            (job.mark, job.cursor, job.examined, job.changed, job.skipped) = (reevaluator.mark, Job.Cursor(), 0, 0, 0)
        }
        let shards = self.router.map.shards
        guard job.cursor.shard < shards.count else { return try await self.end(&job) }
        let shard = shards[job.cursor.shard]
        let rows = try await ServiceError.translating { [key = job.cursor.key] in
            try await self.router.store.streams(in: shard, after: key, limit: Self.page)
        }
        let now = self.clock.present
        let concerned = rows.compactMap { row -> StreamKey? in
            let due = row.nextDue.map(Moment.init(milliseconds:)) ?? .distantFuture
            guard reevaluator.mayConcern(row.entitlement, at: min(now, due - Milliseconds(rawValue: 1))) else {
                return nil
            }
            return StreamKey(bytes: row.key)
        }
        for outcome in try await self.ask(concerned, job.mark) {
            if outcome == .told { job.changed += 1 }
            if outcome == .skipped { job.skipped += 1 }
        }
        try await self.review(rows, &job)
        job.examined += rows.count
        if let last = rows.last, rows.count == Self.page {
            job.cursor.key = last.key
        } else {
            job.cursor = Job.Cursor(shard: job.cursor.shard + 1)
        }
        return max(
            .seconds(1) * rows.count / Self.examinedPerSecond, .seconds(1) * concerned.count / Self.askedPerSecond)
    }

    /// Tells the customers to whom these lead what no event of a stream shows: other ranks and policies, and a catalog without a name that
    /// only grants gave.
    private func review(_ rows: [StreamRow], _ job: inout Job) async throws(ServiceError) {
        guard self.rulebook.level >= .outbox else { return }
        let keys = rows.compactMap { StreamKey(bytes: $0.key) }.filter { $0.kind.givesAccess || $0.kind == .customer }
        for start in stride(from: 0, to: keys.count, by: Self.reviewedAtOnce) {
            let group = keys[start..<min(start + Self.reviewedAtOnce, keys.count)]
            job.skipped += try await self.review(
                group.map { ReviewRequest($0, CustomerReview(), by: .rules, isBaseline: job.isBaseline) })
        }
    }

    /// Until everybody has been told what is true.
    /// - Returns: how many could not be looked at.
    private func review(_ requests: [ReviewRequest]) async throws(ServiceError) -> Int {
        var (left, skipped, pause) = (requests, 0, Duration.milliseconds(1))
        while !left.isEmpty {
            var next: [ReviewRequest] = []
            for (request, outcome) in zip(left, await self.reviewer.review(left)) {
                switch outcome {
                case .done: break
                case .again: next.append(request)
                case .failed(let error) where error.code == .customerMoving: next.append(request)
                case .failed(let error):
                    guard !error.retryable || error.code == .parked else { throw error }
                    skipped += 1
                }
            }
            left = next
            guard !left.isEmpty else { break }
            // Somebody may change all the time: the page is done again.
            guard pause < .seconds(1), (try? await Task.sleep(for: pause)) != nil else {
                throw ServiceError(.overloaded, "customers change faster than they can be looked at")
            }
            pause *= 2
        }
        return skipped
    }

    private func end(_ job: inout Job) async throws(ServiceError) -> Duration {
        (job.state, job.ended) = (.done, self.clock.present)
        guard job.skipped == 0 else {
            job.state = .failed
            job.message =
                "\(job.skipped) streams cannot be read or added to, and were not told: the log of their nodes says why"
            return .zero
        }
        let isSettled = try await ServiceError.translating { [mark = job.mark] in
            try await self.book.settle(mark, at: self.clock.present)
        }
        guard isSettled else { throw Self.otherRules }
        return .zero
    }

    private static let otherRules = ServiceError(
        .otherRules,
        "a node has another configuration or version than the one that began it: give all nodes the same, or cancel it")

    private enum Outcome {
        case told, nothingToTell, skipped
    }

    private func ask(_ keys: [StreamKey], _ mark: RulesMark) async throws(ServiceError) -> [Outcome] {
        try await ServiceError.translating {
            try await withThrowingTaskGroup(of: Outcome.self) { group in
                var outcomes: [Outcome] = []
                for (number, key) in keys.enumerated() {
                    if number >= Self.width, let outcome = try await group.next() { outcomes.append(outcome) }
                    group.addTask { try await self.ask(key, mark) }
                }
                for try await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
        }
    }

    /// What concerns this stream alone keeps nobody else from being told.
    private func ask(_ key: StreamKey, _ mark: RulesMark) async throws(ServiceError) -> Outcome {
        do throws(ServiceError) {
            let bundle = FactBundle(reevaluating: mark, at: self.clock.present)
            let acceptance = try await self.router.submit(Submission(key: key, bundle: bundle, evidence: nil))
            return acceptance.isDuplicate ? .nothingToTell : .told
        } catch {
            guard error.code == .corrupt || error.code == .parked else { throw error }
            return .skipped
        }
    }
}

extension FactBundle {
    fileprivate init(reevaluating mark: RulesMark, at moment: Moment) {
        var random = SystemRandomNumberGenerator()
        self.init(
            source: .rules, dedupKey: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
            contentDigest: .zero, signedDate: moment)
        self.reevaluation = mark
    }
}
