import EventLog
import ServiceContract
import Shards

/// Carries out the plan of one check, step by step; each source answers what the sources before it left open.
struct CheckExecution {
    private let questions: CheckQuestions
    private let consistency: Consistency
    /// Places that a token names: no answer is older.
    private let named: [Position]
    private let positions: PositionGuard
    private let owned: OwnedShards
    /// nil on a node that keeps none.
    private let mirror: MirrorChecker?
    /// Until then this node waits for the store.
    private var deadline: ContinuousClock.Instant

    private var answers: PartialAnswers
    /// Questions about shards whose logs may not hold what the token names of them.
    private var doubtful = Set<Int>()
    /// As far as this node's own shards were when they were read.
    private var ownHeads: [Position] = []

    init(
        _ questions: CheckQuestions, _ consistency: Consistency, atLeast named: [Position], positions: PositionGuard,
        owned: OwnedShards, mirror: MirrorChecker?
    ) {
        self.questions = questions
        self.consistency = consistency
        self.named = named
        self.positions = positions
        self.owned = owned
        self.mirror = mirror
        self.deadline = owned.storeQuestions.deadline
        self.answers = PartialAnswers(count: questions.requests.count)
    }

    /// - Throws: `storeRewound` when a log does not hold what the token names of it; with `durable` also why the newest commits
    ///   are not known.
    mutating func run(_ plan: CheckPlan) async throws(ServiceError) -> PartialAnswers {
        var isCompared = false
        for step in plan.steps {
            if step.source != .mirrorAtToken, !isCompared {
                isCompared = true
                self.deadline = self.owned.storeQuestions.deadline
                try await self.compareWithToken()
            }
            let open = self.open(step)
            guard !open.isEmpty else { continue }
            switch step.source {
            case .mirrorAtToken: await self.fromMirror(open, waitingFor: self.named)
            case .memory: await self.fromMemory(open)
            case .mirror: await self.fromMirror(open)
            case .owners: try await self.fromOwners(open)
            case .store: self.answers.take(await self.fromStore(self.questions(open)), to: open)
            }
        }
        return self.answers
    }

    private func open(_ step: CheckPlan.Step) -> [Int] {
        let open =
            step.source == .store ? self.answers.open { $0?.code.saysOwnerIsAbsent ?? false } : self.answers.open
        if self.doubtful.isEmpty, step.numbers.count == self.questions.requests.count { return open }
        let meant = Set(step.numbers).subtracting(self.doubtful)
        return open.filter(meant.contains)
    }

    /// Refuses what is open about shards of which it is not known now whether their logs hold what the token names of them; the
    /// mirror may answer for them.
    private mutating func compareWithToken() async throws(ServiceError) {
        guard !self.named.isEmpty else { return }
        let open = self.answers.open
        let shards = Set(open.map { self.owned.shard(of: $0, in: self.questions) })
        let check = TokenCheck(positions: self.positions, storeQuestions: self.owned.storeQuestions)
        let refusals = await check.refusals(
            of: self.named.filter { shards.contains($0.shard) }, until: self.deadline)
        if let rewound = refusals.values.first(where: { !$0.retryable }) { throw rewound }
        for number in open {
            guard let refusal = refusals[self.owned.shard(of: number, in: self.questions)] else { continue }
            self.answers.fail(CollectionOfOne(number), refusal)
            self.doubtful.insert(number)
        }
        if self.consistency == .local, !self.doubtful.isEmpty {
            await self.fromMirror(self.doubtful.sorted(), waitingFor: self.named)
        }
    }

    // MARK: Sources

    private mutating func fromMemory(_ numbers: [Int]) async {
        let answers = await self.owned.answers(self.questions(numbers), atLeast: self.named, until: nil)
        self.ownHeads = answers.heads
        self.answers.take(answers, to: numbers)
    }

    private mutating func fromMirror(_ numbers: [Int]) async {
        guard let mirror = self.mirror else { return }
        self.answers.take(
            await mirror.answers(self.questions(numbers), atLeast: self.named, following: self.ownHeads), to: numbers)
    }

    private mutating func fromMirror(_ numbers: [Int], waitingFor named: [Position]) async {
        guard let mirror = self.mirror else { return }
        self.answers.take(await mirror.answers(self.questions(numbers), waitingFor: named), to: numbers)
    }

    private mutating func fromOwners(_ numbers: [Int]) async throws(ServiceError) {
        guard self.consistency != .local else {
            return await self.fromOwners(numbers, atLeast: self.named, for: PositionGuard.patience)
        }
        let start = ContinuousClock.now
        // What the token names is committed.
        let bounds = self.consistency == .durable ? try await self.newestCommits() : self.named
        var open = numbers
        // Owners may be changing: those that were not found are asked for again.
        while true {
            await self.fromOwners(open, atLeast: bounds, for: nil)
            open = self.positions.remote == nil ? [] : self.answers.open { $0?.code == .notOwner }
            guard !open.isEmpty, await OwnerRetry.pause(since: start, for: PositionGuard.patience) else { return }
            self.deadline = self.owned.storeQuestions.deadline
        }
    }

    /// Of these shards, by whichever node.
    private func newestCommits() async throws(ServiceError) -> [Position] {
        let (shards, positions) = (self.questions.order.shards, self.positions)
        if shards.allSatisfy(positions.isOurs) { try positions.checkLease() }
        return try await self.owned.storeQuestions.ask(until: self.deadline) {
            try await positions.committed(of: shards)
        }
    }

    /// Each owner answers for its own shards, this node among them.
    /// - Parameter patience: for so long other nodes are waited for; nil for as long as calls may take.
    private mutating func fromOwners(_ numbers: [Int], atLeast bounds: [Position], for patience: Duration?) async {
        let (questions, owned, deadline) = (self.questions(numbers), self.owned, self.deadline)
        guard let remote = self.positions.remote else {
            return self.answers.take(
                await owned.answers(questions, atLeast: bounds, until: deadline), to: numbers)
        }
        let answers = await SpreadChecks(questions, remote: remote, positions: self.positions).answers(
            atLeast: bounds, for: patience
        ) { requests in
            await owned.answers(CheckQuestions(requests, owned.map), atLeast: bounds, until: deadline)
        }
        self.answers.take(answers, to: numbers)
    }

    /// Without the owners: as new as the newest commits.
    private func fromStore(_ questions: CheckQuestions) async -> PartialAnswers {
        let deadline = self.owned.storeQuestions.deadline
        var answers = PartialAnswers(count: questions.requests.count)
        do throws(ServiceError) {
            // Before the rows are read: the answer is not older than its token.
            let heads = try await self.owned.storeQuestions.ask(until: deadline) {
                try await self.owned.loader.store.heads()
            }
            for shard in questions.order.shards { answers.note(heads[Int(shard.rawValue)]) }
        } catch {
            return PartialAnswers(error, count: questions.requests.count)
        }
        var verdicts = self.owned.verdicts
        // Commits of other nodes would not reach the tables of this one.
        let table = EntitlementTable(limit: max(1, questions.requests.count), names: self.owned.names)
        let all = Array(questions.requests.indices)
        await self.owned.load(all, of: questions, at: verdicts.now, until: deadline, &answers, &verdicts) { _ in table }
        return answers
    }

    /// - Parameter numbers: ascending.
    private func questions(_ numbers: [Int]) -> CheckQuestions {
        numbers.count == self.questions.requests.count
            ? self.questions : CheckQuestions(numbers.map { self.questions.requests[$0] }, self.owned.map)
    }
}
