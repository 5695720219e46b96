import AppStoreSimulator
import Subscriptions
import Testing

/// Whole lives through the machine, in simulated time and without a network.
@Suite struct DeliveryPlanTests {
    private let notifications: [SignedNotification]
    private let disturbances = Disturbances(lose: 0.3, repeat: 0.3, delay: 0.3, reorder: 0.3)

    /// Made once: every test sends the same lives.
    private static let lives = Result {
        let factory = try LifecycleFactory(seed: 4)
        return try (0..<40).flatMap { try factory.lifecycles(ofCustomer: $0) }.flatMap(\.notifications)
            .sorted { ($0.signedDate, $0.uuid) < ($1.signedDate, $1.uuid) }
    }

    private struct Sending: Hashable {
        let uuid: String
        let date: Moment
    }

    private struct Course {
        var sendings: [Sending] = []
        var machine: DeliveryMachine<SignedNotification>
    }

    init() throws { self.notifications = try Self.lives.get() }

    /// Sends everything to a receiver that takes it all.
    ///
    /// - Parameter step: the sender wakes only so often; nil: when something is due.
    private func send(
        _ disturbances: Disturbances, seed: UInt64 = 1, environment: AppStoreEnvironment = .production,
        every step: Milliseconds? = nil
    ) -> Course {
        var course = Course(
            machine: DeliveryMachine<SignedNotification>(
                environment: environment, disturbances: disturbances, seed: seed))
        var coming = self.notifications[...]
        while let next = [coming.first?.signedDate, course.machine.nextDue].compactMap(\.self).min() {
            let now = step.map { next + $0 } ?? next
            while let first = coming.first, first.signedDate <= now {
                course.machine.enter(first)
                coming.removeFirst()
            }
            while let delivery = course.machine.next(at: now) {
                course.sendings.append(Sending(uuid: delivery.notification.uuid, date: now))
                course.machine.settle(delivery, .success, at: now)
            }
        }
        return course
    }

    @Test func theSameSeedGivesTheSamePlan() {
        let plan = self.send(self.disturbances).sendings
        #expect(plan == self.send(self.disturbances).sendings)
        #expect(plan != self.send(self.disturbances, seed: 2).sendings)
    }

    @Test func whatGoesWrongDoesNotDependOnTiming() {
        // given a sender that is always there, and one that looks every five hours
        let prompt = self.send(self.disturbances)
        let slow = self.send(self.disturbances, every: .hours(5))

        // then both send the same as often, and lose the same
        let counts = [prompt, slow].map { course in
            course.sendings.reduce(into: [String: Int]()) { $0[$1.uuid, default: 0] += 1 }
        }
        #expect(counts[0] == counts[1])
        #expect(prompt.machine.counts.lost == slow.machine.counts.lost)
        #expect(prompt.machine.counts.repeated == slow.machine.counts.repeated)
        #expect(prompt.machine.counts.lost > 0)
    }

    @Test func everythingIsSaidOrGivenUpOn() {
        let course = self.send(Disturbances(lose: 0.3, reorder: 0.3), environment: .sandbox)
        let arrived = Set(course.sendings.map(\.uuid))
        #expect(arrived.union(course.machine.givenUp.keys) == Set(self.notifications.map(\.uuid)))
        #expect(arrived.isDisjoint(with: course.machine.givenUp.keys))
        #expect(course.machine.unfinished.isEmpty)
    }

    @Test func whatIsHeldBackComesRightAfterTheNextOneOrThreeDaysLate() throws {
        // given lives of which a third waits
        let course = self.send(Disturbances(reorder: 0.3))
        let date = Dictionary(uniqueKeysWithValues: course.sendings.map { ($0.uuid, $0.date) })
        let place = Dictionary(uniqueKeysWithValues: course.sendings.enumerated().map { ($1.uuid, $0) })

        // when each is held against the next one about the same subscription
        var overtaken = 0
        var late = 0
        for (_, story) in Dictionary(grouping: self.notifications, by: \.originalTransactionID) {
            for (index, notification) in story.enumerated() {
                let sent = try #require(date[notification.uuid])
                if sent == notification.signedDate { continue }
                if sent == notification.signedDate + .days(3) {
                    late += 1
                } else {
                    overtaken += 1
                    let next = story[index + 1].uuid
                    #expect(sent == date[next])
                    #expect(try #require(place[notification.uuid]) > (try #require(place[next])))
                }
            }
        }

        // then it was sent after that one, or after three days
        #expect(overtaken > 0)
        #expect(late > 0)
        #expect((0.25...0.35).contains(Double(overtaken + late) / Double(self.notifications.count)))
    }

    @Test func whereEverythingIsReorderedTheFirstOfTwoCloseOnesComesSecond() throws {
        // when
        let course = self.send(Disturbances(reorder: 1))
        let place = Dictionary(uniqueKeysWithValues: course.sendings.enumerated().map { ($1.uuid, $0) })
        var pairs = 0
        for (id, story) in Dictionary(grouping: self.notifications, by: \.originalTransactionID) {
            guard id != nil, story.count > 1 else { continue }
            let (first, second) = (story[0], story[1])
            guard first.signedDate < second.signedDate, second.signedDate < first.signedDate + .days(3) else {
                continue
            }
            // then
            pairs += 1
            #expect(try #require(place[first.uuid]) > (try #require(place[second.uuid])))
        }
        #expect(pairs > 0)
    }

    @Test func whatIsHeldBackIsHeldBackAfterARestartToo() throws {
        // given a machine that holds everything back, and one that goes on from its state
        let story = try #require(
            Dictionary(grouping: self.notifications, by: \.originalTransactionID).values.first {
                $0.count > 2 && $0[1].signedDate < $0[0].signedDate + .days(3)
            })
        var first = DeliveryMachine<SignedNotification>(
            environment: .production, disturbances: Disturbances(reorder: 1))
        first.enter(story[0])
        let unfinished = try #require(first.unfinished[story[0].uuid])
        var second = DeliveryMachine<SignedNotification>(
            environment: .production, disturbances: Disturbances(reorder: 1))
        second.reenter(story[0], as: unfinished)
        #expect(unfinished.due == (story[0].signedDate + .days(3)).milliseconds)

        // when the next one is sent
        second.reenter(
            story[1], as: UnfinishedDelivery(attempts: [], due: story[1].signedDate.milliseconds))
        let next = second.next(at: story[1].signedDate)
        let sent = try #require(next)
        #expect(sent.notification == story[1])
        second.settle(sent, .unsuccessfulCode, at: story[1].signedDate)

        // then the one held back is due
        #expect(second.next(at: story[1].signedDate)?.notification == story[0])
    }
}
