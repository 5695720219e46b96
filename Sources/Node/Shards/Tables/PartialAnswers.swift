package import EventLog
package import ServiceContract

/// What one source says to some questions, each by itself: what it cannot answer keeps no other from its answer.
package struct PartialAnswers: Sendable {
    /// One for each question, in order; nil where the source has nothing to say.
    private(set) var results: [Result<CheckResult, ServiceError>?]
    /// Of the shards that were answered for: no answer is older.
    package private(set) var heads: [Position] = []
    package private(set) var isStale = false

    /// - Parameter count: of questions.
    package init(count: Int) { self.results = Array(repeating: nil, count: count) }

    /// All of them alike.
    package init(_ failure: ServiceError, count: Int) {
        self.results = Array(repeating: .failure(failure), count: count)
    }

    /// Of questions that are all answered.
    package init(_ results: [CheckResult], heads: [Position], isStale: Bool = false) {
        self.results = results.map { .success($0) }
        self.heads = heads
        self.isStale = isStale
    }

    package mutating func answer(_ number: Int, _ result: CheckResult) { self.results[number] = .success(result) }

    package mutating func fail(_ numbers: some Sequence<Int>, _ failure: ServiceError) {
        for number in numbers { self.results[number] = .failure(failure) }
    }

    package mutating func note(_ head: Position) { self.heads.append(head) }

    /// Takes over what another source says.
    /// - Parameter numbers: of its questions, here.
    package mutating func take(_ answers: PartialAnswers, to numbers: some Sequence<Int>) {
        for (number, result) in zip(numbers, answers.results) {
            if let result { self.results[number] = result }
        }
        self.heads += answers.heads
        self.isStale = self.isStale || answers.isStale
    }

    // MARK: What they come to

    /// The questions that have no answer.
    package var open: [Int] { self.open { _ in true } }

    /// - Parameter isMeant: of why there is none; nil where nobody was asked.
    package func open(_ isMeant: (ServiceError?) -> Bool) -> [Int] {
        self.results.indices.filter { number in
            switch self.results[number] {
            case .success: false
            case .failure(let error): isMeant(error)
            case nil: isMeant(nil)
            }
        }
    }

    /// One place for each shard, ascending: that which none of its answers is older than.
    package var oldestHeads: [Position] { Self.oldest(self.heads) }

    /// One place for each shard, ascending.
    package static func oldest(_ heads: [Position]) -> [Position] {
        var oldest: [ShardID: Position] = [:]
        for head in heads {
            if let known = oldest[head.shard], known.sequence <= head.sequence { continue }
            oldest[head.shard] = head
        }
        return oldest.values.sorted { $0.shard < $1.shard }
    }

    /// What is left open is refused, and if that is everything.
    package var settledOneByOne: [CheckResult] {
        self.results.map { result in
            switch result {
            case .success(let result): result
            case .failure(let error): .refused(error.code)
            case nil: .refused(.notOwner)
            }
        }
    }

    /// What is left open is refused.
    /// - Precondition: every question was asked of somebody.
    /// - Throws: why nothing of it was answered.
    package func settled() throws(ServiceError) -> [CheckResult] {
        var hasAnswer = self.results.isEmpty
        var failure: ServiceError?
        let settled = self.results.map { result -> CheckResult in
            switch result {
            case .success(let result):
                hasAnswer = true
                return result
            case .failure(let error):
                failure = failure ?? error
                return .refused(error.code)
            case nil: preconditionFailure("a question was asked of nobody")
            }
        }
        if !hasAnswer, let failure { throw failure }
        return settled
    }
}
