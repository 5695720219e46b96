import Entitlements
import EventLog
import Mirroring
import Ownership
import ServiceContract
import Shards
import Subscriptions

/// Answers checks from what this node mirrors of all shards: without asking anybody, whether the owners live or not.
/// A class, since each check would copy all its parts.
final class MirrorChecker: Sendable {
    /// So long an answer waits for what its token names, before the owner is asked.
    private static let patience = Duration.milliseconds(150)
    private static let pause = Duration.milliseconds(2)

    private let mirror: EntitlementMirror
    private let positions: PositionGuard
    private let catalog: Catalog
    private let clock: any WallClock
    private let waitingClock: any Clock<Duration>

    init(
        _ mirror: EntitlementMirror, positions: PositionGuard, catalog: Catalog, clock: any WallClock,
        waitingClock: any Clock<Duration>
    ) {
        self.mirror = mirror
        self.positions = positions
        self.catalog = catalog
        self.clock = clock
        self.waitingClock = waitingClock
    }

    /// - Parameter shards: those of the requests, each once.
    /// - Returns: nil while one of them has not been mirrored, or not as far as `bounds`.
    func answer(_ requests: [CheckRequest], in shards: [ShardID], atLeast bounds: [Position] = []) -> CheckResponse? {
        let now = self.clock.now
        guard let found = self.find(requests, in: shards, atLeast: bounds, at: now) else { return nil }
        return CheckResponse(
            results: found.results, asOf: now, stale: found.isStale, token: self.positions.token(found.heads))
    }

    /// What the mirror has.
    struct Findings {
        /// One for each request, in order.
        var results: [CheckResult]
        /// One for each shard, in order: no result is older.
        var heads: [Position]
        var isStale: Bool
    }

    /// - Parameters:
    ///   - shards: those of the requests, each once.
    ///   - bounds: places that no result may be older than.
    ///   - now: the moment that is asked about.
    /// - Returns: nil while one of the shards has not been mirrored, or not as far as `bounds`.
    func find(
        _ requests: [CheckRequest], in shards: [ShardID], atLeast bounds: [Position], at now: Moment
    ) -> Findings? {
        guard shards.allSatisfy(self.mirror.hasAll) else { return nil }
        // Before the rows are read: the answer is not older than its token.
        let heads = shards.map(self.mirror.position)
        guard heads.allSatisfy({ $0.reaches(bounds) }) else { return nil }
        let time = self.mirror.time(now, .now)
        var catalog = CatalogCheck(self.catalog)
        if requests.count == 1 {
            let scope = self.scope(of: requests[0])
            let answer = requests[0].id.withUnsafeBytes { self.mirror.check(utf8: $0, in: scope, at: time) }
            let result = catalog.result(self.result(of: answer, requests[0].kind), for: requests[0].entitlement)
            return Findings(results: [result], heads: heads, isStale: answer.isStale)
        }
        var results: [CheckResult] = []
        var isStale = false
        results.reserveCapacity(requests.count)
        self.mirror.check(self.questions(requests), at: time) { number, answer in
            // Without a copy of the request, which would count references.
            let result = self.result(of: answer, requests[number].kind)
            results.append(catalog.result(result, for: requests[number].entitlement))
            if answer.isStale { isStale = true }
        }
        return Findings(results: results, heads: heads, isStale: isStale)
    }

    /// What the mirror has of some questions, shard by shard. For a moment it is waited for where it follows, and has not come
    /// as far as `heads`; then what there is says by itself how old it is.
    /// - Parameters:
    ///   - bounds: places that no result may be older than.
    ///   - heads: places that it comes to soon.
    func answers(
        _ questions: CheckQuestions, atLeast bounds: [Position], following heads: [Position]
    ) async -> PartialAnswers {
        await self.answers(
            questions, atLeast: bounds, following: heads, whileBelow: false, by: self.waitingClock)
    }

    /// The same, but for a moment it is waited for as well where it has not come as far as `bounds`.
    func answers(_ questions: CheckQuestions, waitingFor bounds: [Position]) async -> PartialAnswers {
        await self.answers(questions, atLeast: bounds, following: [], whileBelow: true, by: self.waitingClock)
    }

    /// - Parameter whileBelow: whether a shard is waited for that is not as far as `bounds`.
    private func answers(
        _ questions: CheckQuestions, atLeast bounds: [Position], following heads: [Position], whileBelow: Bool,
        by clock: some Clock<Duration>
    ) async -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        var waiting = questions.order.parts
        /// Leaves those waiting that are not there.
        func take(atLeast bounds: [Position]) {
            waiting.removeAll { shard, numbers in
                let requests = numbers.map { questions.requests[$0] }
                guard let found = self.find(requests, in: [shard], atLeast: bounds, at: self.clock.now) else {
                    return false
                }
                answers.take(
                    PartialAnswers(found.results, heads: found.heads, isStale: found.isStale), to: numbers)
                return true
            }
        }
        func isOnItsWay(_ shard: ShardID) -> Bool {
            self.mirror.hasAll(of: shard) && (whileBelow || self.mirror.position(of: shard).reaches(bounds))
        }
        let end = clock.now.advanced(by: Self.patience)
        take(atLeast: bounds + heads)
        while waiting.contains(where: { isOnItsWay($0.shard) }), clock.now < end,
            (try? await clock.sleep(for: Self.pause)) != nil
        {
            take(atLeast: bounds + heads)
        }
        take(atLeast: bounds)
        return answers
    }

    private func questions(_ requests: [CheckRequest]) -> [MirrorQuestion] {
        // Those before mostly were of the same scope.
        var last: (number: Int, scope: MirrorScope)?
        return requests.indices.map { number in
            let id = MirrorID(utf8: requests[number].id)
            if let last, requests[number].hasScope(of: requests[last.number]) {
                return MirrorQuestion(id, in: last.scope)
            }
            let scope = self.scope(of: requests[number])
            last = (number, scope)
            return MirrorQuestion(id, in: scope)
        }
    }

    private func scope(of request: CheckRequest) -> MirrorScope {
        self.mirror.scope(request.environment, request.bundleID, kind: request.kind)
    }

    private func result(of answer: MirrorAnswer, _ kind: StreamKind) -> CheckResult {
        switch answer.outcome {
        case .unknown: .verdict(.unknown(kind))
        case .ambiguous: .refused(.ambiguous)
        case .found:
            .verdict(
                CheckVerdict(
                    entitled: answer.entitled, state: answer.state, code: answer.code, validUntil: answer.validUntil,
                    productID: self.mirror.productID(of: answer), version: answer.version,
                    reason: CheckVerdict.Reason(answer.state, answer.code),
                    bundleID: self.mirror.bundleID(of: answer)))
        }
    }
}

extension CheckRequest {
    fileprivate func hasScope(of other: CheckRequest) -> Bool {
        self.kind == other.kind && self.environment == other.environment && self.bundleID == other.bundleID
    }
}

extension Position {
    /// Whether an answer of this place is not older than what `bounds` say of its shard. Of the log of another run only the
    /// store knows whether it goes on here.
    func reaches(_ bounds: [Position]) -> Bool {
        bounds.allSatisfy { bound in
            bound.shard != self.shard
                || bound.incarnationTag == self.incarnationTag && bound.sequence <= self.sequence
        }
    }
}
