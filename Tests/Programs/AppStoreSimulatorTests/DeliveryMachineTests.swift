import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct DeliveryMachineTests {
    private let notification: SignedNotification

    init() throws { self.notification = try LifecycleFactory().testNotification() }

    @Test func productionTriesSixTimesAtTheDocumentedDistances() throws {
        // given a receiver that never answers
        var machine = DeliveryMachine<SignedNotification>(environment: .production)
        machine.enter(self.notification)

        // when everything due is tried
        var dates: [Moment] = []
        while let due = machine.nextDue {
            let delivery = try machine.due(at: due)
            dates.append(due)
            machine.settle(delivery, .timedOut, at: due)
        }

        // then there were five retries, each so many hours after the one before
        let hours = zip(dates, dates.dropFirst()).map { ($1.milliseconds - $0.milliseconds) / 3_600_000 }
        #expect(dates.first == self.notification.signedDate)
        #expect(hours == [1, 12, 24, 48, 72])
        #expect(machine.counts.givenUp == 1)
        #expect(machine.counts.waiting == 0)
        #expect(
            machine.givenUp[self.notification.uuid] == dates.map { SendAttempt(date: $0, result: .timedOut) })
    }

    @Test func sandboxTriesOnce() throws {
        var machine = DeliveryMachine<SignedNotification>(environment: .sandbox)
        machine.enter(self.notification)
        let delivery = try machine.due(at: self.notification.signedDate)
        machine.settle(delivery, .unsuccessfulCode, at: self.notification.signedDate)
        #expect(machine.nextDue == nil)
        #expect(machine.counts.givenUp == 1)
    }

    @Test func successEndsIt() throws {
        var machine = DeliveryMachine<SignedNotification>(environment: .production)
        machine.enter(self.notification)
        let delivery = try machine.due(at: self.notification.signedDate)
        #expect(machine.counts.waiting == 1)
        machine.settle(delivery, .success, at: self.notification.signedDate)
        #expect(machine.nextDue == nil)
        #expect(machine.counts.delivered == 1)
        #expect(machine.unfinished.isEmpty)
    }

    @Test func nothingIsSentBeforeItIsSigned() {
        var machine = DeliveryMachine<SignedNotification>(environment: .production)
        machine.enter(self.notification)
        #expect(machine.next(at: self.notification.signedDate - .seconds(1)) == nil)
    }

    @Test func whatIsLostIsTriedAgainByTheSchedule() {
        var machine = DeliveryMachine<SignedNotification>(environment: .production, disturbances: Disturbances(lose: 1))
        machine.enter(self.notification)
        #expect(machine.next(at: self.notification.signedDate) == nil)
        #expect(machine.counts.lost == 1)
        #expect(machine.nextDue == self.notification.signedDate + .hours(1))
    }

    @Test func whatIsRepeatedIsSentTwiceAndCountedOnce() throws {
        var machine = DeliveryMachine<SignedNotification>(
            environment: .production, disturbances: Disturbances(repeat: 1))
        machine.enter(self.notification)
        let first = try machine.due(at: self.notification.signedDate)
        machine.settle(first, .success, at: self.notification.signedDate)
        let due = try #require(machine.nextDue)
        let second = try machine.due(at: due)
        machine.settle(second, .success, at: due)
        #expect(second.notification == first.notification)
        #expect(machine.nextDue == nil)
        #expect(machine.counts.delivered == 1)
        #expect(machine.counts.repeated == 1)
    }

    @Test func whatIsDelayedComesWithinADay() throws {
        var machine = DeliveryMachine<SignedNotification>(
            environment: .production, disturbances: Disturbances(delay: 1))
        machine.enter(self.notification)
        let due = try #require(machine.nextDue)
        #expect(due > self.notification.signedDate)
        #expect(due <= self.notification.signedDate + .days(1))
    }

    @Test func disturbancesHappenAsOftenAsAsked() throws {
        // given 1,000 notifications of which 30 % shall be lost
        var machine = DeliveryMachine<SignedNotification>(
            environment: .production, disturbances: Disturbances(lose: 0.3))
        let factory = try LifecycleFactory()
        for number in 0..<1_000 { machine.enter(try factory.testNotification(number: number)) }

        // when each is tried once
        var sent = 0
        while machine.next(at: self.notification.signedDate + .minutes(30)) != nil { sent += 1 }

        // then about that many got through, the same on every run
        #expect((650...750).contains(sent))
        #expect(machine.counts.lost == 1_000 - sent)
    }

    @Test func goesOnWithTheAttemptsAlreadyMade() throws {
        var machine = DeliveryMachine<SignedNotification>(environment: .production)
        let due = self.notification.signedDate + .hours(13)
        let attempts = [0, 1].map {
            SendAttempt(date: self.notification.signedDate + .hours($0), result: .noResponse)
        }
        machine.reenter(self.notification, as: UnfinishedDelivery(attempts: attempts, due: due.milliseconds))
        let delivery = try machine.due(at: due)
        machine.settle(delivery, .noResponse, at: due)
        #expect(machine.nextDue == due + .hours(24))
        #expect(machine.unfinished[self.notification.uuid]?.attempts.map(\.date) == attempts.map(\.date) + [due])
    }
}

extension DeliveryMachine {
    /// The attempt that has to be due.
    fileprivate mutating func due(at moment: Moment) throws -> Delivery {
        let delivery = self.next(at: moment)
        return try #require(delivery)
    }
}
