import AppStore
import AppStoreSimulator
import Foundation
import Reconciliation
import SubscriptionService
import Subscriptions
import Testing

/// Months pass while the way from Apple loses 30 %, repeats 30 % and reorders everything; what is lost has to come from
/// Apple's history.
@Suite(.timeLimit(.minutes(LossyPush.timeLimit))) struct LossyPushTests {
    private static let slowSpeed = 20_000.0
    private static let pause = Duration.milliseconds(500)
    /// Between two comparisons of everything, by a machine that keeps up.
    private static let interval = 4.0
    /// Until what is missing must have come: five minutes at least, and longer where pauses take longer.
    private static let patience = 600

    @Test func inProductionEveryStateIsApplesAndNothingIsThereTwice() async throws {
        try await Self.live(
            LossyPush(environment: .production, subscribers: 120, speed: 43_200, lived: .days(30)), slowly: 2_000)
    }

    /// What is lost is sent no second time there: only the history has it.
    @Test func inTheSandboxEveryStateIsApplesAndNothingIsThereTwice() async throws {
        try await Self.live(
            LossyPush(environment: .sandbox, subscribers: 150, speed: 14_400, lived: .days(10)), slowly: 300)
    }

    private static func live(_ push: LossyPush, slowly subscribers: Int) async throws {
        var push = push
        if let seconds = LossyPush.seconds {
            push.speed = Self.slowSpeed
            push.lived = Milliseconds(rawValue: Int64(seconds * Self.slowSpeed * 1_000))
            push.subscribers = subscribers
        }
        let started = ContinuousClock.now
        let lived = push.lived
        let interval = Milliseconds(rawValue: Int64(Self.interval * push.speed * 1_000))
        try await push.run { apple, service in
            // when
            var watch = TruthWatch(apple, service)
            var lastLine = ContinuousClock.now
            var next = apple.simulator.time.start
            let end = next + lived
            while next < end {
                try await watch.look()
                // By the store's time: a slow machine looks as often.
                next = min(next + interval, end)
                while apple.simulator.truths.settled < next {
                    try await Task.sleep(for: Self.pause)
                    try await watch.lookAgain()
                }
                guard lastLine.duration(to: .now) > .seconds(60) else { continue }
                lastLine = .now
                try Self.tell(apple, service, watch)
            }
            try await watch.look()
            var patience = Self.patience
            while watch.waiting > 0, patience > 0 {
                try await Task.sleep(for: Self.pause)
                try await watch.lookAgain()
                patience -= 1
            }
            // then
            try Self.tell(apple, service, watch)
            #expect(watch.unexplained.isEmpty, "\(watch.unexplained.prefix(10).joined(separator: "\n"))")
            #expect(watch.waiting == 0, "\(watch.describeWaiting(first: 10))")
            #expect(watch.audit.repeated.isEmpty)
            apple.expectRequestsWithinLimits(since: started)
            try Self.expectTrouble(apple, service, watch)
        }
    }

    /// Whatever was to go wrong did.
    private static func expectTrouble(
        _ apple: SimulatedApple, _ service: SubscriptionService, _ watch: TruthWatch
    ) throws {
        let told = apple.simulator.statistics
        #expect(told.lost * 10 > told.notifications)
        #expect(told.repeated * 20 > told.notifications)
        #expect(watch.audit.overtaken * 40 > told.notifications)
        #expect(watch.compared > told.customers)
        let fetched = try service.reconciliationReport().accounts[0].failedDeliveries.values.reduce(0, +)
        #expect(fetched > 0)
    }

    private static func tell(_ apple: SimulatedApple, _ service: SubscriptionService, _ watch: TruthWatch) throws {
        let told = apple.simulator.statistics
        let account = try service.reconciliationReport().accounts[0]
        let counts = apple.requests.counts
        print(
            "Lossy pushes, \(apple.account.environment.rawValue): \(apple.simulator.truths.settled), "
                + "\(told.customers) customers, \(told.notifications) notifications, \(told.lost) lost, "
                + "\(told.repeated) repeated, \(watch.audit.overtaken) overtaken, \(told.givenUp) given up; "
                + "\(watch.audit.recorded.count) recorded, \(watch.audit.repeated.count) twice, "
                + "\(account.failedDeliveries.values.reduce(0, +)) from the history, \(counts.requests) requests; "
                + "\(watch.looks) looks, \(watch.compared) answers compared, \(watch.paidForLater) paid for later, "
                + "\(watch.waiting) waiting, \(watch.unexplained.count) unexplained")
    }
}
