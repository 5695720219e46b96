import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct TruthTests {
    /// Made once: every test looks at the same crowd.
    private static let lifecycles = Result {
        let factory = try LifecycleFactory(seed: 21)
        return try (0..<150).flatMap { try factory.lifecycles(ofCustomer: $0) }
    }

    private let lifecycles: [SimulatedLifecycle]

    init() throws { self.lifecycles = try Self.lifecycles.get() }

    @Test func everyEnvelopeCarriesTheStatusThatIsTrueWhenItIsSigned() {
        for lifecycle in self.lifecycles {
            for notification in lifecycle.notifications {
                #expect(notification.status == lifecycle.truth.status(at: notification.signedDate))
            }
        }
    }

    @Test func everythingSoldHasATruthFromItsFirstNotificationOn() throws {
        for lifecycle in self.lifecycles {
            let first = try #require(lifecycle.notifications.first)
            #expect(lifecycle.truth.standing(at: first.signedDate) != nil)
            #expect(lifecycle.truth.standing(at: first.signedDate - .seconds(1)) == nil)
            #expect(
                lifecycle.notifications.allSatisfy { $0.originalTransactionID == lifecycle.truth.originalTransactionID }
            )
        }
    }

    @Test func notificationsOfOneStreamAreSignedInOrder() {
        for lifecycle in self.lifecycles {
            let dates = lifecycle.notifications.map(\.signedDate)
            #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func everyStateOccurs() {
        let states = Set(self.lifecycles.flatMap { $0.truth.changes.map(\.value.state) })
        #expect(states == Set(Truth.State.allCases))
    }

    @Test func graceRunsFromTheFailureToItsDate() throws {
        for lifecycle in self.lifecycles {
            for (from, standing) in lifecycle.truth.changes where standing.state == .grace {
                let date = try #require(standing.gracePeriodExpiresDate)
                #expect(from + .days(5) < date && date < from + .days(16))
                #expect(lifecycle.truth.standing(at: date)?.state != .grace)
            }
        }
    }
}

@Suite struct TimelineTests {
    @Test func answersByTheLastChangeBefore() {
        var timeline = Timeline<String>()
        timeline.set("a", from: Moment(milliseconds: 10))
        timeline.set("b", from: Moment(milliseconds: 20))
        #expect(timeline[Moment(milliseconds: 9)] == nil)
        #expect(timeline[Moment(milliseconds: 10)] == "a")
        #expect(timeline[Moment(milliseconds: 25)] == "b")
    }

    @Test func whatHappensReplacesWhatWasForeseen() {
        var timeline = Timeline<String>()
        timeline.set("grace", from: Moment(milliseconds: 10))
        timeline.set("retry", from: Moment(milliseconds: 20))
        timeline.set("subscribed", from: Moment(milliseconds: 15))
        #expect(timeline[Moment(milliseconds: 12)] == "grace")
        #expect(timeline[Moment(milliseconds: 30)] == "subscribed")
    }
}
