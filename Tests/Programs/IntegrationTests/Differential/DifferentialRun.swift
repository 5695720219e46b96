import AppStore
import AppStoreSimulator
import Entitlements
import EventLog
import Logging
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions

/// Some customers and a service of their own: lived through in virtual time, delivery by delivery.
struct DifferentialRun {
    private let differential: Differential
    private let stories: [Story]
    private let notifications: [SignedNotification]
    private let service: SubscriptionService
    private let clock: ManualClock

    private var machine: DeliveryMachine<SignedNotification>
    private var arrived = Set<String>()
    private var samples: [[Sample]]
    private var findings = Findings()

    /// A current answer that was given.
    private struct Sample {
        let moment: Moment
        let snapshot: SubscriptionSnapshot?
        let arrived: Int
    }

    static func findings(
        of customers: Range<Int>, factory: LifecycleFactory, differential: Differential
    ) async throws -> Findings {
        let store = try differential.makeStore()
        let clock = ManualClock(Differential.start)
        let service = try self.service(store, factory, clock)
        let run = try DifferentialRun(differential, customers, factory, service, clock)
        let findings = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            while !service.readiness(for: .ingest).ready { await Task.yield() }
            var run = run
            let result: Result<Findings, any Error>
            do { result = .success(try await run.findings()) } catch { result = .failure(error) }
            group.cancelAll()
            try? await group.waitForAll()
            return try result.get()
        }
        try store.close()
        return findings
    }

    private static func service(
        _ store: any EventStore, _ factory: LifecycleFactory, _ clock: ManualClock
    ) throws -> SubscriptionService {
        let apps = try AppDirectory([
            AppIdentity(
                bundleID: BundleID(rawValue: factory.store.bundleID), appAppleID: factory.store.appAppleID,
                environments: [factory.store.environment], roots: [TrustedRoot(factory.rootCertificate)])
        ])
        let verifier = PayloadVerifier(apps: apps)
        var configuration = RuntimeConfiguration()
        configuration.storePatience = .seconds(3_600)
        return try SubscriptionService(
            store: store, configuration: configuration, clock: clock,
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps),
            verification: VerificationPool(threads: 1), catalog: Catalog(),
            logger: Logger(label: "differential") { _ in SwiftLogNoOpLogHandler() })
    }

    private init(
        _ differential: Differential, _ customers: Range<Int>, _ factory: LifecycleFactory,
        _ service: SubscriptionService, _ clock: ManualClock
    ) throws {
        self.differential = differential
        self.service = service
        self.clock = clock
        var stories: [Story] = []
        var notifications: [SignedNotification] = []
        for customer in customers {
            var random = SeededGenerator(seed: differential.seed ^ 0x5EED, stream: UInt64(customer))
            for life in try factory.lifecycles(ofCustomer: customer) {
                notifications += life.notifications
                stories.append(
                    Story(
                        life, customer: customer, environment: differential.environment,
                        until: Differential.start + Differential.duration, random: &random))
            }
        }
        self.stories = stories
        self.notifications = notifications
        self.samples = stories.map { _ in [] }
        self.machine = DeliveryMachine<SignedNotification>(
            environment: differential.environment, disturbances: differential.disturbances, seed: differential.seed)
        for notification in notifications { self.machine.enter(notification) }
        self.findings.customers = customers.count
        self.findings.streams = stories.count
        self.findings.notifications = notifications.count
    }

    private mutating func findings() async throws -> Findings {
        try await self.live()
        for index in self.stories.indices {
            try await self.comparePast(self.stories[index])
            try await self.compareMemory(index)
        }
        try await self.recover()
        return self.findings
    }

    // MARK: Living

    /// Until the last retry has been made or given up. Between deliveries the present is asked about.
    private mutating func live() async throws {
        var questions = Agenda<Int>()
        for (index, story) in self.stories.enumerated() {
            for moment in story.present { questions.enter(index, due: moment) }
        }
        while let due = [self.machine.nextDue, questions.nextDue].compactMap(\.self).min() {
            self.clock.advance(to: due)
            while let delivery = self.machine.next(at: due) {
                try await self.deliver(delivery.notification)
                self.machine.settle(delivery, .success, at: due)
            }
            while let (_, index) = questions.next(dueBy: due) { try await self.comparePresent(index) }
        }
        self.clock.advance(to: Differential.start + Differential.duration)
        precondition(self.machine.unfinished.isEmpty, "a machine without anything due has nothing unfinished")
    }

    private mutating func deliver(_ notification: SignedNotification) async throws {
        _ = try await self.service.ingest(signedPayload: notification.signedPayload)
        self.arrived.insert(notification.uuid)
        self.findings.deliveries += 1
    }

    /// What was given up on arrives after all, in another order: then nothing is left to explain a difference.
    private mutating func recover() async throws {
        var random = SeededGenerator(seed: self.differential.seed, stream: .max)
        let missing = self.notifications.filter { !self.arrived.contains($0.uuid) }.shuffled(using: &random)
        let incomplete = Set(missing.compactMap(\.originalTransactionID))
        for notification in missing { try await self.deliver(notification) }
        for story in self.stories where incomplete.contains(story.stream.id) { try await self.comparePast(story) }
    }

    // MARK: Comparing

    private func answer(_ story: Story, at moment: Moment? = nil, knownAt: Moment? = nil) async throws
        -> SubscriptionSnapshot?
    {
        let query = SubscriptionQuery(stream: story.stream, at: moment, knownAt: knownAt)
        do throws(ServiceError) {
            return try await self.service.subscription(query).snapshot
        } catch {
            guard error.code == .unknownSubscription || error.code == .unknownPurchase else { throw error }
            return nil
        }
    }

    private mutating func comparePast(_ story: Story) async throws {
        for moment in story.past {
            let snapshot = try await self.answer(story, at: moment)
            self.compare(story, snapshot, at: moment, by: nil)
        }
        let now = self.clock.now
        let (present, past) = (try await self.answer(story), try await self.answer(story, at: now))
        self.require(present == past, "the answer of now is not the current one", story, now)
    }

    private mutating func comparePresent(_ index: Int) async throws {
        let story = self.stories[index]
        let now = self.clock.now
        let snapshot = try await self.answer(story)
        self.compare(story, snapshot, at: now, by: now)
        let past = try await self.answer(story, at: now)
        self.require(snapshot == past, "the answer of now is not the current one", story, now)
        try await self.compareCheck(story, snapshot, at: now)

        let arrived = story.tellings.count { self.arrived.contains($0.uuid) }
        if let last = self.samples[index].last, last.arrived == arrived, snapshot?.entitled == true,
            let validUntil = last.snapshot?.validUntil
        {
            self.require(now < validUntil, "entitled past the validUntil that was given", story, now)
        }
        self.samples[index].append(Sample(moment: now, snapshot: snapshot, arrived: arrived))
    }

    private mutating func compareCheck(_ story: Story, _ snapshot: SubscriptionSnapshot?, at now: Moment) async throws {
        let request = CheckRequest(stream: story.stream)
        let response = try await self.service.check([request], consistency: .owner, atLeast: nil)
        guard case .verdict(let verdict)? = response.results.first else {
            return self.require(false, "a check is refused", story, now)
        }
        let isSame =
            verdict.entitled == snapshot?.entitled ?? false && verdict.state == snapshot?.state
            && verdict.validUntil == snapshot?.validUntil
        self.require(isSame, "a check says something else than the current answer", story, now)
    }

    /// What was answered then is what the service says that it would have answered.
    private mutating func compareMemory(_ index: Int) async throws {
        let story = self.stories[index]
        for sample in self.samples[index] {
            let remembered = try await self.answer(story, knownAt: sample.moment)
            self.require(
                remembered == sample.snapshot, "knownAt gives another answer than was given", story, sample.moment)
        }
    }

    /// - Parameter now: nil for hindsight.
    private mutating func compare(
        _ story: Story, _ snapshot: SubscriptionSnapshot?, at moment: Moment, by now: Moment?
    ) {
        self.findings.answers += 1
        if let snapshot, snapshot.entitled {
            let isBounded =
                snapshot.validUntil.map { moment < $0 } ?? (story.stream.kind == .purchase)
            self.require(isBounded, "entitled past validUntil", story, moment)
        }
        let truth = Answer(story.truth(knownAt: now), at: moment)
        let answer = Answer(snapshot)
        guard answer != truth else { return }
        if let reason = self.reason(story, at: moment, by: now) {
            self.findings.explained[reason, default: 0] += 1
        } else {
            let question = now == nil ? "at" : "now"
            let differences = answer.differences(from: truth)
            self.report(
                "\(question) " + differences.map(\.description).joined(separator: ", "),
                kind: "\(question) " + differences.map(\.kind).joined(separator: ", "), story, moment)
        }
    }

    /// Why the answer cannot be known: a notification that decides it has not arrived. nil if all have.
    private func reason(_ story: Story, at moment: Moment, by now: Moment?) -> String? {
        let missing = story.deciding(at: moment, by: now).filter { !self.arrived.contains($0.uuid) }
        guard !missing.isEmpty else { return nil }
        let isWaiting = missing.allSatisfy { self.machine.unfinished[$0.uuid] != nil }
        return isWaiting ? "not yet delivered" : "given up"
    }

    private mutating func require(_ isTrue: Bool, _ law: String, _ story: Story, _ moment: Moment) {
        if !isTrue { self.report(law, kind: law, story, moment) }
    }

    private mutating func report(_ what: String, kind: String, _ story: Story, _ moment: Moment) {
        self.findings.report(
            "customer \(story.customer) (\(story.stream.kind), seed \(self.differential.seed)) "
                + "at \(moment): \(what)",
            kind: kind)
    }
}
