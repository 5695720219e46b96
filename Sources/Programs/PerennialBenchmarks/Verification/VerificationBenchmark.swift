import AppStore
import Shards
import Subscriptions

/// Signatures with a warm chain, against swift-crypto's bare verification of P-256.
struct VerificationBenchmark: Benchmark {
    static let name = "verification"
    static let abstract = "a transaction and a whole notification, of bare P-256 verification"

    func run(in workspace: Workspace) async throws -> [Figure] {
        let corpus = try SignedCorpus(count: 200)
        guard let nested = try NestedJWS(in: corpus.notifications[0]) else {
            throw BenchmarkError("a notification holds no transaction")
        }
        let bare = try BareVerification(nested.transaction)
        return [
            try await self.transaction(nested.transaction, corpus, bare),
            try await self.notification(corpus, bare),
            try await self.twoThreads(corpus, bare),
        ]
    }

    private func transaction(
        _ jws: [UInt8], _ corpus: SignedCorpus, _ bare: BareVerification
    ) async throws -> Figure {
        let apps = try AppDirectory([corpus.app])
        let reader = TransactionReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        let now = SystemClock().now
        let comparison = try await Comparison(calls: 300) {
            _ = try await reader.read(signedTransaction: jws, now: now)
        } baseline: {
            try bare.run()
        }
        return Figure(
            "warm transaction verified", comparison.subject.perSecond, "1/s", baseline: comparison.baseline.perSecond,
            ratio: comparison.ratio, goal: .ratioAtLeast(0.85))
    }

    private func notification(_ corpus: SignedCorpus, _ bare: BareVerification) async throws -> Figure {
        let pass = try NotificationPass(corpus)
        let comparison = try await Comparison(calls: 1) {
            try await pass.run()
        } baseline: {
            for _ in 0..<3 * corpus.notifications.count { try bare.run() }
        }
        let count = Double(corpus.notifications.count)
        return Figure(
            "notification verified, decoded, decided", count * comparison.subject.perSecond, "1/s",
            baseline: count * comparison.baseline.perSecond, ratio: comparison.ratio, goal: .ratioAtLeast(0.80))
    }

    /// So many passes in a row that it does not show how long a thread takes to begin.
    private static let passes = 5

    /// How much more two threads do than one, of what they do more of the bare work.
    private func twoThreads(_ corpus: SignedCorpus, _ bare: BareVerification) async throws -> Figure {
        let pass = try NotificationPass(corpus)
        let gain = try await Comparison(calls: 1) {
            try await Self.twice { for _ in 0..<Self.passes { try await pass.run() } }
        } baseline: {
            for _ in 0..<2 * Self.passes { try await pass.run() }
        }
        let count = 3 * corpus.notifications.count
        let bareGain = try await Comparison(calls: 1) {
            try await Self.twice { for _ in 0..<count { try bare.run() } }
        } baseline: {
            for _ in 0..<2 * count { try bare.run() }
        }
        return Figure(
            "two threads' gain with notifications", gain.ratio, "x", baseline: bareGain.ratio,
            goal: .ratioAtLeast(0.95))
    }

    private static func twice(_ body: @Sendable @escaping () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await body() } }
            try await group.waitForAll()
        }
    }
}

/// The notifications of a corpus in order, each verified, decoded, and decided on top of those before it.
struct NotificationPass: Sendable {
    private let reader: NotificationReader
    private let notifications: [[UInt8]]
    private let rules = DerivationRules()
    private let now = SystemClock().now

    init(_ corpus: SignedCorpus) throws {
        let apps = try AppDirectory([corpus.app])
        self.reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        self.notifications = corpus.notifications
    }

    func run() async throws {
        var states: [StreamKey: StreamState] = [:]
        for notification in self.notifications {
            guard case .bundle(let key, let bundle) = try await self.reader.read(notification, now: self.now) else {
                throw BenchmarkError("a notification went to quarantine")
            }
            var state = states.removeValue(forKey: key) ?? StreamState(key: key)
            for event in state.decide(bundle, rules: self.rules) { state.apply(event) }
            states[key] = state
        }
    }
}
