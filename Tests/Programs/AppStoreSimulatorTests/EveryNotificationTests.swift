import AppStoreSimulator
import Subscriptions
import Testing

/// Each type and subtype of Apple's comes from a life, with the status that it has to have.
@Suite struct EveryNotificationTests {
    /// Made once: certificates cost several curve operations.
    private static let authority = Result { try CertificateAuthority.make(seed: 8) }

    /// All that the App Store sends, but for TEST, which is asked for and not lived.
    private static let names: Set = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY",
        "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY",
        "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRODUCT_NOT_FOR_SALE", "EXPIRED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
        "OFFER_REDEEMED", "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "PRICE_INCREASE/PENDING",
        "PRICE_INCREASE/ACCEPTED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "CONSUMPTION_REQUEST",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY", "RENEWAL_EXTENSION/FAILURE", "ONE_TIME_CHARGE",
        "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
        "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE",
    ]

    @Test func storiesLeaveNothingOut() {
        let told = LifeStory.all.flatMap { $0.told.joined() + $0.others }
        #expect(Set(told.map { $0.split(separator: " ").first.map(String.init) }) == Self.names)
    }

    @Test(arguments: LifeStory.all) func saysWhatALifeGivesRiseTo(_ story: LifeStory) throws {
        let (factory, person) = try self.cast(story)
        let lifecycles = try factory.lifecycles(of: person, number: 0)
        #expect(lifecycles.map { $0.notifications.map(Self.line) } == story.told)
        let all = try factory.notifications(of: person, number: 0)
        #expect(all.filter { $0.originalTransactionID == nil }.map(Self.line) == story.others)
        #expect(all.count == story.told.joined().count + story.others.count)
    }

    @Test(arguments: LifeStory.all) func renewsAsAnnounced(_ story: LifeStory) throws {
        let (factory, person) = try self.cast(story)
        for lifecycle in try factory.lifecycles(of: person, number: 0) {
            #expect(try lifecycle.notifications.map(DecodedNotification.init).surprises.isEmpty)
        }
    }

    @Test(arguments: LifeStory.all) func isUnderstoodAsItWas(_ story: LifeStory) async throws {
        // given everybody's notifications, and what was true when each was signed
        let (factory, person) = try self.cast(story)
        let publisher = try Publisher(factory)
        for lifecycle in try factory.lifecycles(of: person, number: 0) {
            let truths = lifecycle.notifications.map { notification in
                lifecycle.truth(knownAt: notification.signedDate)?.standing(at: notification.signedDate)
            }

            // when they are read as they come, then each one leads to that state
            #expect(try await publisher.statesAsTheyCome(in: lifecycle) == truths.map { $0?.state.rawValue })

            // when all have been read, then that is still what is said of those moments, and of each change between them
            let signings = lifecycle.notifications.map(\.signedDate)
            let changes = lifecycle.truth.changes.map { $0.from + .hours(1) }
            let moments = signings + changes.filter { change in signings.last.map { change < $0 } ?? false }
            let hindsight = moments.map { lifecycle.truth.standing(at: $0)?.state.rawValue }
            #expect(try await publisher.statesInHindsight(of: lifecycle, at: moments) == hindsight)
        }
    }

    private func cast(_ story: LifeStory) throws -> (LifecycleFactory, ScriptedLife) {
        let scenario = try story.scenario()
        let factory = try LifecycleFactory(
            scenario: scenario, duration: .days(story.days), authority: Self.authority.get())
        return (factory, try #require(scenario.people.first))
    }

    private static func line(_ notification: SignedNotification) -> String {
        let name = [notification.type, notification.subtype].compactMap(\.self).joined(separator: "/")
        return notification.status.map { "\(name) \($0)" } ?? name
    }
}
