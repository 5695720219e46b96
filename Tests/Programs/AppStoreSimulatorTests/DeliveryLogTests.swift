import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct DeliveryLogTests {
    private let lifecycle: SimulatedLifecycle

    init() throws {
        let factory = try LifecycleFactory(seed: 11)
        let all = try (0..<20).flatMap { try factory.lifecycles(ofCustomer: $0) }
        self.lifecycle = try #require(all.first { $0.notifications.count >= 4 })
    }

    private func entries(_ machine: DeliveryMachine<SignedNotification>) -> [DeliveryLog.Entry] {
        machine.log.entries(about: self.lifecycle.truth.originalTransactionID)
    }

    @Test func keepsWhatWasSaidInTheOrderOfSigning() throws {
        var machine = DeliveryMachine<SignedNotification>(environment: .production)
        for notification in self.lifecycle.notifications.shuffled() { machine.enter(notification) }
        #expect(self.entries(machine).map(\.telling) == self.lifecycle.notifications.compactMap(\.telling))
        #expect(machine.log.entries(about: "1").isEmpty)
    }

    @Test func knowsWhatArrivedWhatWaitsAndWhatWasGivenUpOn() throws {
        // given four notifications in the sandbox, where there is one attempt
        var machine = DeliveryMachine<SignedNotification>(environment: .sandbox)
        let four = self.lifecycle.notifications.prefix(4)
        four.forEach { machine.enter($0) }

        // when the first is taken, the second refused, the third lost in the network, and the fourth not yet sent
        for (notification, result) in zip(four, [SendAttempt.Result.success, .unsuccessfulCode, .socketIssue]) {
            let next = machine.next(at: notification.signedDate)
            machine.settle(try #require(next), result, at: notification.signedDate)
        }

        // then each is known for what it is
        #expect(
            self.entries(machine).map(\.state) == [
                .arrived, .givenUp, .givenUp, .waiting(until: four[3].signedDate),
            ])
        #expect(
            self.entries(machine).map(\.failures) == [
                [], [SendAttempt(date: four[1].signedDate, result: .unsuccessfulCode)],
                [SendAttempt(date: four[2].signedDate, result: .socketIssue)], [],
            ])
    }

    @Test func aRetryIsWaitedForWithItsAttempts() throws {
        var machine = DeliveryMachine<SignedNotification>(environment: .production)
        let notification = self.lifecycle.notifications[0]
        machine.enter(notification)
        let next = machine.next(at: notification.signedDate)
        machine.settle(try #require(next), .timedOut, at: notification.signedDate)
        let entry = try #require(self.entries(machine).first)
        #expect(entry.state == .waiting(until: notification.signedDate + .hours(1)))
        #expect(entry.failures == [SendAttempt(date: notification.signedDate, result: .timedOut)])
    }

    @Test func isTheSameAfterARestart() throws {
        // given a machine that gave up on some, and has others waiting
        var machine = DeliveryMachine<SignedNotification>(
            environment: .production, disturbances: Disturbances(lose: 0.8))
        let end = self.lifecycle.notifications.last?.signedDate ?? .distantPast
        self.lifecycle.notifications.forEach { machine.enter($0) }
        while let due = machine.nextDue, due <= end {
            while let delivery = machine.next(at: due) { machine.settle(delivery, .success, at: due) }
        }

        // when another goes on with what it kept
        var second = DeliveryMachine<SignedNotification>(environment: .production)
        for notification in self.lifecycle.notifications {
            if let unfinished = machine.unfinished[notification.uuid] {
                second.reenter(notification, as: unfinished)
            } else {
                second.recall(
                    notification, machine.givenUp[notification.uuid] ?? machine.recovered[notification.uuid])
            }
        }

        // then it knows the same
        let states = self.entries(machine)
        #expect(self.entries(second).map(\.telling) == states.map(\.telling))
        #expect(self.entries(second).map(\.state) == states.map(\.state))
        #expect(self.entries(second).map(\.failures) == states.map(\.failures))
        #expect(!machine.recovered.isEmpty)
        #expect(second.givenUp == machine.givenUp)
        #expect(second.recovered == machine.recovered)
        #expect(second.unfinished == machine.unfinished)
    }
}
