import EventLog
import ServiceContract
import Shards
import Subscriptions

/// Checks of ids that others have superseded (Apple's `previousOriginalTransactionId`): where the old one does not entitle, what goes on in
/// its place may.
extension EntitlementChecker {
    /// So many are followed one after the other.
    private static let limit = 8

    /// Whether an answer has to be looked for under other ids.
    func hasFollowers(_ requests: [CheckRequest], _ results: [CheckResult]) -> Bool {
        guard !self.superseded.isEmpty else { return false }
        return zip(requests, results).contains { !self.successors(of: $0, $1).isEmpty }
    }

    /// A question about an id, and then about those that go on in its place.
    private struct Search {
        /// Where it stands: the streams of one generation.
        var front: [CheckRequest]
        var visited: Set<StreamKey>
        /// Of what was bought last.
        var best: CheckResult
        var place: FactPlace
        var isOver = false
        /// Why one could not be asked: then nobody knows that none entitles.
        var refusal: CheckResult?

        /// What the question comes to.
        var result: CheckResult { self.isOver ? self.best : self.refusal ?? self.best }

        mutating func take(_ result: CheckResult, at place: FactPlace) {
            guard !self.isOver else { return }
            if case .refused = result { self.refusal = self.refusal ?? result }
            self.isOver = result.isEntitled
            // One that gives something else is no answer to what was asked for.
            guard self.isOver || !result.isOfOtherProduct && self.place < place else { return }
            (self.best, self.place) = (result, place)
        }
    }

    /// Puts the answers of successors in the place of those that do not entitle: of several one that entitles, else the one bought last.
    /// - Parameter ask: asks about other ids, as the first were asked about.
    func follow(
        _ requests: [CheckRequest], _ results: [CheckResult],
        _ ask: ([CheckRequest]) async throws -> [CheckResult]
    ) async throws -> [CheckResult] {
        guard self.hasFollowers(requests, results) else { return results }
        var searches: [Int: Search] = [:]
        for (number, request) in requests.enumerated() {
            let successors = self.successors(of: request, results[number])
            guard let first = successors.first else { continue }
            let start = StreamKey(
                kind: request.kind, id: String(decoding: request.id, as: UTF8.self), environment: request.environment,
                bundleID: first.key.bundleID)
            var request = request
            request.bundleID = first.key.bundleID
            searches[number] = Search(
                front: [request], visited: [start], best: results[number],
                // What says of the old one itself that it supersedes another may be the newest.
                place: self.superseded.place(of: start) ?? .lowest)
        }
        var next: [(number: Int, request: CheckRequest, place: FactPlace)] = []
        for _ in 0..<Self.limit {
            next = searches.flatMap { number, search -> [(number: Int, request: CheckRequest, place: FactPlace)] in
                guard !search.isOver else { return [] }
                return search.front.flatMap { self.successors(of: $0) }.filter { !search.visited.contains($0.key) }
                    .map { (number, $0.request(like: requests[number]), $0.place) }
            }
            guard !next.isEmpty else { break }
            let found = try await ask(next.map(\.request))
            for number in searches.keys { searches[number]?.front = [] }
            for ((number, request, place), result) in zip(next, found) {
                searches[number]?.front.append(request)
                searches[number]?.visited.insert(request.key)
                searches[number]?.take(result, at: place)
            }
        }
        var results = results
        for (number, search) in searches { results[number] = search.result }
        return results
    }

    /// None where the answer counts as it is.
    private func successors(of request: CheckRequest, _ result: CheckResult) -> [SupersededStreams.Successor] {
        guard case .verdict(let verdict) = result, !verdict.entitled else { return [] }
        var request = request
        request.bundleID = request.bundleID ?? verdict.bundleID
        return self.successors(of: request)
    }

    private func successors(of request: CheckRequest) -> [SupersededStreams.Successor] {
        self.superseded.successors(
            of: String(decoding: request.id, as: UTF8.self), request.kind, in: request.environment, request.bundleID)
    }
}

extension SupersededStreams.Successor {
    /// The same question about this stream.
    fileprivate func request(like request: CheckRequest) -> CheckRequest {
        CheckRequest(
            self.key.kind, id: Array(self.key.id.utf8)[...], environment: self.key.environment,
            bundleID: self.key.bundleID, entitlement: request.entitlement)
    }
}

extension CheckRequest {
    /// Of one that names its bundle.
    fileprivate var key: StreamKey {
        StreamKey(
            kind: self.kind, id: String(decoding: self.id, as: UTF8.self), environment: self.environment,
            bundleID: self.bundleID ?? BundleID(rawValue: ""))
    }
}

extension CheckResult {
    fileprivate var isEntitled: Bool { if case .verdict(let verdict) = self { verdict.entitled } else { false } }

    fileprivate var isOfOtherProduct: Bool {
        if case .verdict(let verdict) = self { verdict.reason == .otherProduct } else { true }
    }
}
