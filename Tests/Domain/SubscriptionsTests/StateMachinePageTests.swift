import Foundation
import Subscriptions
import Testing

/// The tables of the catalog page on the state machine are played, row by row, against the code.
@Suite struct StateMachinePageTests {
    private static let rules = DerivationRules()

    // MARK: Notifications

    @Test(arguments: Page.rows(of: "notifications"))
    func notification(_ row: Page.Row) throws {
        let (given, type, subtype) = (row[0], row[1], row[2])
        if let record = Self.records[type + subtype] {
            let event = try #require(
                StreamState(key: record.key).decide(record.bundle(type, subtype), rules: Self.rules).first)
            #expect(event.kind.rawValue == row[4])
            #expect(event.record == record.record)
            return
        }
        var (customer, state) = try Self.bring(to: given)
        if type == "ONE_TIME_CHARGE" { state = StreamState(key: .purchase) }
        let bundle = try Self.deliver(type, subtype, to: &customer)
        let events = state.receive(bundle, rules: Self.rules)
        #expect(events.map(\.kind.rawValue) == [row[4]], "no anomaly either")
        #expect(events[0].notification == bundle.notification)
        #expect(state.snapshot(at: bundle.signedDate, rules: Self.rules)?.state.rawValue == row[3])
        #expect(bundle.facts.status.map { $0.status.state?.rawValue == row[3] } ?? true, "Apple's own word is the same")
        #expect(
            state.receive(bundle, rules: Self.rules).map(\.kind)
                == (Self.tellsNews.contains(type + subtype) ? events.map(\.kind) : [.noted]))
    }

    @Test("every type and subtype that Apple documents has a row")
    func isComplete() {
        let rows = Set(Page.rows(of: "notifications").map { "\($0[1]) \($0[2])".trimmingCharacters(in: .whitespaces) })
        for name in Self.documented { #expect(rows.contains(name), "\(name)") }
    }

    private static let documented = [
        "SUBSCRIBED INITIAL_BUY", "SUBSCRIBED RESUBSCRIBE", "DID_RENEW", "DID_RENEW BILLING_RECOVERY",
        "DID_FAIL_TO_RENEW GRACE_PERIOD", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED VOLUNTARY",
        "EXPIRED BILLING_RETRY", "EXPIRED PRICE_INCREASE", "EXPIRED PRODUCT_NOT_FOR_SALE", "EXPIRED",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_PREF UPGRADE", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
        "OFFER_REDEEMED", "OFFER_REDEEMED UPGRADE", "OFFER_REDEEMED DOWNGRADE", "PRICE_INCREASE PENDING",
        "PRICE_INCREASE ACCEPTED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "CONSUMPTION_REQUEST",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION SUMMARY", "RENEWAL_EXTENSION FAILURE", "ONE_TIME_CHARGE",
        "EXTERNAL_PURCHASE_TOKEN CREATED", "EXTERNAL_PURCHASE_TOKEN ACTIVE_TOKEN_REMINDER",
        "EXTERNAL_PURCHASE_TOKEN UNREPORTED", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "MIGRATE",
        "PRICE_CHANGE",
        "TEST",
    ]

    /// These are news by themselves, however often a customer asks.
    private static let tellsNews: Set<String> = [
        "REFUND_DECLINED", "CONSUMPTION_REQUEST", "RENEWAL_EXTENSIONFAILURE", "METADATA_UPDATE", "MIGRATION", "MIGRATE",
        "PRICE_CHANGE",
    ]

    // MARK: Time

    @Test(arguments: Page.rows(of: "timers"))
    func timer(_ row: Page.Row) throws {
        let (customer, state) = try Self.bring(to: row[0])
        let transition = try #require(state.nextTransition(after: customer.now, rules: Self.rules))
        #expect(transition.name.rawValue == row[2])
        let event = state.announce(transition)
        #expect(event.source == .timer)
        #expect(event.effectiveAt == transition.due)
        var announced = state
        announced.apply(event)
        #expect((announced == state) as Bool, "an announcement changes nothing")
        #expect(state.snapshot(at: transition.due, rules: Self.rules)?.state.rawValue == row[1])
        #expect(
            state.snapshot(at: transition.due - oneMillisecond, rules: Self.rules)
                != state.snapshot(at: transition.due, rules: Self.rules))
    }

    // MARK: Playing

    private static func bring(to given: String) throws -> (Customer, StreamState) {
        var customer = Customer()
        var bundles = [FactBundle]()
        if given != "nothing" { bundles.append(customer.subscribe(family: given.contains("family"))) }
        switch given {
        case "nothing", "subscribed", "family member": break
        case "renewed": bundles.append(customer.renew())
        case "renewed ahead": bundles.append(customer.renew(early: .hours(20)))
        case "awaiting renewal": customer.wait(until: customer.end)
        case "auto-renew off": bundles.append(customer.setAutoRenew(false))
        case "downgrade scheduled": bundles.append(customer.scheduleDowngrade())
        case "price increase pending": bundles.append(customer.raisePrice(accepted: false))
        case "grace": bundles.append(customer.failToRenew(grace: .days(16)))
        case "retry": bundles.append(customer.failToRenew(grace: nil))
        case "expired": bundles += [customer.setAutoRenew(false), customer.expire(.customerCancelled)]
        case "refunded": bundles.append(customer.refund(0))
        case "left the family": bundles.append(customer.leaveFamily())
        default: throw Page.Unreadable(text: given)
        }
        return (customer, StreamState(.subscription, bundles))
    }

    private static func deliver(_ type: String, _ subtype: String, to customer: inout Customer) throws -> FactBundle {
        let act: FactBundle
        switch type + " " + subtype {
        case "SUBSCRIBED INITIAL_BUY": act = customer.subscribe()
        case "SUBSCRIBED RESUBSCRIBE": act = customer.resubscribe()
        case "DID_RENEW ": act = customer.renew()
        case "DID_RENEW BILLING_RECOVERY": act = customer.recover()
        case "DID_FAIL_TO_RENEW GRACE_PERIOD": act = customer.failToRenew(grace: .days(16))
        case "DID_FAIL_TO_RENEW ": act = customer.failToRenew(grace: nil)
        case "GRACE_PERIOD_EXPIRED ": act = customer.graceExpires()
        case "EXPIRED VOLUNTARY": act = customer.expire(.customerCancelled)
        case "EXPIRED BILLING_RETRY": act = customer.expire(.billingError)
        case "EXPIRED PRICE_INCREASE": act = customer.expire(.priceIncreaseNotAccepted)
        case "EXPIRED PRODUCT_NOT_FOR_SALE": act = customer.expire(.productNotForSale)
        case "EXPIRED ": act = customer.expire(.other)
        case "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED": act = customer.setAutoRenew(true)
        case "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED": act = customer.setAutoRenew(false)
        case "DID_CHANGE_RENEWAL_PREF UPGRADE": act = customer.upgrade(to: "max.monthly")
        case "DID_CHANGE_RENEWAL_PREF DOWNGRADE": act = customer.scheduleDowngrade()
        case "DID_CHANGE_RENEWAL_PREF ": act = customer.cancelDowngrade()
        case "OFFER_REDEEMED ": act = customer.redeemOffer()
        case "OFFER_REDEEMED UPGRADE": act = customer.upgrade(to: "max.monthly", offer: true)
        case "OFFER_REDEEMED DOWNGRADE": act = customer.scheduleDowngrade(offer: true)
        case "PRICE_INCREASE PENDING": act = customer.raisePrice(accepted: false)
        case "PRICE_INCREASE ACCEPTED": act = customer.raisePrice(accepted: true)
        case "REFUND ": act = customer.refund(customer.currentIndex)
        case "REFUND of the period before ": act = customer.refund(customer.currentIndex - 1)
        case "REFUND_REVERSED ": act = customer.reverseRefund(0)
        case "REVOKE ": act = customer.leaveFamily()
        case "RENEWAL_EXTENDED ": act = customer.extend()
        case "ONE_TIME_CHARGE ":
            _ = customer.subscribe("coins")
            var charge = customer.notify("ONE_TIME_CHARGE")
            (charge.facts.renewal, charge.facts.status, charge.facts.transactions[0].expiresDate) = (nil, nil, nil)
            act = charge
        case "any type that is not known ": act = customer.notify("SOMETHING_NEW", "OF_LATER")
        default: act = customer.notify(type, subtype.isEmpty ? nil : subtype)
        }
        guard let sent = act.notification,
            type.hasPrefix("any ") || sent.type == type.prefix(while: { $0 != " " }) && sent.subtype ?? "" == subtype
        else { throw Page.Unreadable(text: type) }
        return act
    }

    // MARK: Records

    private struct Record {
        let key: StreamKey
        let record: NotificationRecord

        init(_ kind: StreamKind, _ id: String, _ record: NotificationRecord) {
            self.key = StreamKey(
                kind: kind, id: id, environment: .production, bundleID: StreamKey.subscription.bundleID)
            self.record = record
        }

        func bundle(_ type: String, _ subtype: String) -> FactBundle {
            FactBundle(
                source: .notification, dedupKey: [1], contentDigest: digest(1), signedDate: day0,
                notification: NotificationIdentity(uuid: "u", type: type, subtype: subtype.isEmpty ? nil : subtype),
                record: self.record)
        }
    }

    private static let records: [String: Record] = [
        "RENEWAL_EXTENSIONSUMMARY": Record(.massExtension, "mass:r", .massExtension(.init(requestIdentifier: "r"))),
        "EXTERNAL_PURCHASE_TOKENCREATED": Record(
            .externalPurchase, "ext:e", .externalPurchase(.init(externalPurchaseID: "e"))),
        "EXTERNAL_PURCHASE_TOKENACTIVE_TOKEN_REMINDER": Record(
            .externalPurchase, "ext:e", .externalPurchase(.init(externalPurchaseID: "e"))),
        "EXTERNAL_PURCHASE_TOKENUNREPORTED": Record(
            .externalPurchase, "ext:e", .externalPurchase(.init(externalPurchaseID: "e"))),
        "RESCIND_CONSENT": Record(.appTransaction, "app:a", .consentRescinded(.init(appTransactionID: "a"))),
        "TEST": Record(.test, "test:com.example.app", .test),
    ]
}

/// The catalog page, as it is in the sources.
enum Page {
    struct Row: Sendable, CustomTestStringConvertible {
        let cells: [String]
        var testDescription: String { self.cells.joined(separator: ", ") }
        subscript(index: Int) -> String { self.cells[index] }
    }

    struct Unreadable: Error { let text: String }

    /// The rows of the table that follows the comment with `name`.
    static func rows(of name: String, file: String = #filePath) -> [Row] {
        let root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/Programs/Perennial/Perennial.docc/StateMachine.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "<!-- \(name) -->" }
        return lines.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            Row(
                cells: line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.replacingOccurrences(of: "`", with: "").trimmingCharacters(in: .whitespaces)
                })
        }
    }
}
