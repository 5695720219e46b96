import Customers
import PerennialTestSupport
import Subscriptions
import Testing

/// What a deletion leaves of states and events. A state without a customer is what a replay of the events without the customer gives.
@Suite struct ErasureTests {
    private static let customers = ["a", "b", "c"].compactMap { CustomerID($0) }
    private static let tokens = (1...3).compactMap { AccountToken("a0eebc99-9c0b-4ef8-bb6d-6bb9bd38000\($0)") }
    private static let accounts = ["701", "702", "703"]
    private static let key = StreamKey(
        kind: .subscription, id: "1", environment: .production, bundleID: BundleID(rawValue: "app"))
    private static let erased = ErasedIdentifiers(
        customers: [customers[0]], identifiers: [.token(tokens[0]), .account(accounts[0])])

    private static func transaction(_ random: inout SeededGenerator) -> TransactionInfo {
        let number = Int64.random(in: 1...9, using: &random)
        let day = Moment(milliseconds: number * 86_400_000)
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: "1"),
            transactionID: TransactionID(rawValue: "\(number)"), bundleID: BundleID(rawValue: "app"),
            environment: .production,
            signedDate: day + Milliseconds(rawValue: .random(in: 0...9, using: &random)),
            digest: PayloadDigest([UInt8](repeating: .random(in: 0...255, using: &random), count: 32)))
        (info.purchaseDate, info.expiresDate) = (day, day + .days(30))
        info.appAccountToken = (Self.tokens.map(\.rawValue) + [nil, "no UUID"]).randomElement(using: &random)!
        info.appTransactionID = (Self.accounts + [nil]).randomElement(using: &random)!
        return info
    }

    private static func event(_ random: inout SeededGenerator) -> SubscriptionEvent {
        let customer = (Self.customers + [nil]).randomElement(using: &random)!
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            return SubscriptionEvent(
                facts: Facts(transactions: [Self.transaction(&random)]), source: .notification, changes: [.renewed])
        case 1 where Bool.random(using: &random):
            // As versions without policies wrote it.
            return SubscriptionEvent(source: .client, changes: [.linked], customerID: customer?.rawValue)
        default:
            let action = LinkRecord.Action.allCases.randomElement(using: &random)!
            let token = action == .linked ? Self.tokens.randomElement(using: &random) : nil
            let record = LinkRecord(
                action, customer, token: token, place: place(.random(in: 1...9, using: &random)), reason: "r")
            return SubscriptionEvent(source: .person, changes: [.linked], link: record)
        }
    }

    private static func state(_ events: [SubscriptionEvent]) -> StreamState {
        events.reduce(into: StreamState(key: Self.key)) { $0.apply($1) }
    }

    @Test func `a stream's state is that of a replay, and names nobody who is gone`() {
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let events = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.event(&random) }
            let after = events.map { $0.erasing(Self.erased) }
            let replayed = Self.state(after)
            let state = Self.state(events).erasing(Self.erased, links: StreamLinks(replayed.leads))
            #expect(state == replayed, "seed \(seed)")
            #expect(state.erasing(Self.erased, links: StreamLinks(state.leads)) == state)
            #expect(after.map { $0.erasing(Self.erased) } == after)
            let leads = state.leads
            #expect(!(leads.linkedCustomers + leads.conflicts).contains(Self.customers[0]))
            #expect(leads.token?.value != Self.tokens[0] && leads.link?.token != Self.tokens[0])
            #expect(leads.account != Self.accounts[0])
            for transaction in after.flatMap(\.facts.transactions) {
                #expect(transaction.appAccountToken != Self.tokens[0].rawValue)
                #expect(transaction.appTransactionID != Self.accounts[0])
            }
        }
    }

    /// Whoever holds the stream or shares it without the customer does so with it, but for links that a token of the customer overruled.
    @Test func `nobody gains a stream that was linked to somebody who is gone`() {
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let events = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.event(&random) }
            let before = Self.state(events).leads
            let after = Self.state(events.map { $0.erasing(Self.erased) }).leads
            guard before.link?.customer == Self.customers[0] else { continue }
            // Nobody has it, as by a link to nobody.
            #expect(after.link.map { $0.customer == nil } == true, "seed \(seed)")
            #expect(after.sharers == before.sharers.filter { $0 != Self.customers[0] }, "seed \(seed)")
        }
    }

    @Test func `a customer's own stream is as if nothing had been said`() {
        let grant = Grant(
            id: "g", entitlement: "pro", reason: "r", source: "web", from: Moment(milliseconds: 0),
            until: nil, actor: "shop")
        let pair = DuplicatePayment(
            "pro", since: Moment(milliseconds: 4), .init(.grant(id: "g")), .init(.grant(id: "h")))
        func record(_ customer: CustomerID, _ content: CustomerRecord.Content) -> SubscriptionEvent {
            SubscriptionEvent(
                source: .person, changes: [.granted], customer: CustomerRecord(customer, content, reason: "why"))
        }
        func state(_ events: [SubscriptionEvent]) -> PublisherState {
            var state = PublisherState.customer(CustomerState())
            for event in events { state.apply(event, at: Moment(milliseconds: 5)) }
            return state
        }
        let own = [
            record(Self.customers[0], .granted(grant)), record(Self.customers[0], .attributes(["plan": .text("gold")])),
            record(Self.customers[0], .duplicatePayment(pair)),
            record(Self.customers[0], .takes(Self.customers[1], at: 3, Room())),
            record(Self.customers[0], .moved(to: Self.customers[2])),
            record(Self.customers[0], .returned(from: Self.customers[2])),
        ]
        let after = own.map { $0.erasing(Self.erased) }
        #expect(after.allSatisfy { $0.customer == nil && $0.changes == [.granted] })
        #expect(state(own).erasing(Self.erased) == state(after))
        #expect(state(after) == .customer(CustomerState()))

        let others = [
            record(Self.customers[1], .granted(grant)), record(Self.customers[1], .duplicatePayment(pair)),
            record(Self.customers[1], .takes(Self.customers[0], at: 3, Room())),
            record(Self.customers[1], .takes(Self.customers[2], at: 3, Room())),
            record(Self.customers[1], .drops(Self.customers[0])),
            record(Self.customers[1], .givesBack(Self.customers[0], at: 3, Room(), ReturnedBelongings())),
        ]
        for count in 1...others.count {
            let events = Array(others.prefix(count))
            let after = events.map { $0.erasing(Self.erased) }
            #expect(state(events).erasing(Self.erased) == state(after), "\(count)")
            #expect(!after.contains { $0.customer == nil })
            #expect(state(after).customer?.grants == [grant])
            #expect(state(after).customer?.duplicatePayments == (count > 1 ? [pair] : []))
        }
    }

    @Test func `of who has moved back to itself nothing stays with the other one but what stayed there`() throws {
        func grant(_ id: String, revokedAt: Moment? = nil) -> Grant {
            Grant(
                id: id, entitlement: "pro", reason: "secret", source: "web", from: Moment(milliseconds: 0), until: nil,
                revokedAt: revokedAt)
        }
        let (gone, other) = (Self.customers[0], Self.customers[1])
        let brought = Belongings(
            grants: [grant("back"), grant("kept")], attributes: ["plan": .text("secret")], of: 7)
        let contents: [CustomerRecord.Content] = [
            .takes(gone, at: 1, Room()), .taken(gone, brought), .granted(grant("own")),
            .revoked(grant: GrantKey("kept", under: 7), at: Moment(milliseconds: 5)),
            .givesBack(
                gone, at: 2, Room(),
                ReturnedBelongings(grants: [GrantKey("back", under: 7)], attributes: ["plan"], origins: [7])),
            .drops(gone),
        ]
        let events = contents.map {
            SubscriptionEvent(source: .person, changes: [.moved], customer: CustomerRecord(other, $0))
        }
        let erased = events.map { $0.erasing(Self.erased, returned: [GrantKey("back", under: 7)]) }
        func state(_ events: [SubscriptionEvent]) -> PublisherState {
            events.reduce(into: .customer(CustomerState())) { $0.apply($1, at: Moment(milliseconds: 5)) }
        }
        #expect(state(erased) == state(events).erasing(Self.erased))
        #expect(state(erased).customer?.grants.map(\.id) == ["kept", "own"])
        let text = "\(erased)"
        #expect(
            !text.contains("\"\(gone.rawValue)\"") && !text.contains("\"back\"") && !text.contains("text(\"secret\")"))
        #expect(erased.map { $0.erasing(Self.erased) } == erased)
    }

    @Test func `an identifier's stream leads to nobody who is gone`() {
        func state(_ registrations: [Registration]) -> PublisherState {
            var state = PublisherState.identifier(RegisteredIdentifier())
            for one in registrations {
                state.apply(
                    SubscriptionEvent(source: .person, changes: [.registered], registration: one),
                    at: Moment(milliseconds: 5))
            }
            return state
        }
        func erased(_ registrations: [Registration]) -> [Registration] {
            registrations.compactMap { one in
                SubscriptionEvent(source: .person, changes: [.registered], registration: one).erasing(Self.erased)
                    .registration
            }
        }
        let theirs = [Registration(.registered, of: Self.tokens[0].rawValue, Self.customers[0])]
        #expect(state(theirs).erasing(Self.erased) == state(erased(theirs)))
        #expect(state(erased(theirs)) == .identifier(RegisteredIdentifier()))
        // Somebody else's by now.
        let given =
            [Registration(.registered, of: Self.tokens[1].rawValue, Self.customers[0])]
            + [Registration(.registered, of: Self.tokens[1].rawValue, Self.customers[1], isProvisional: true)]
        #expect(state(given).erasing(Self.erased) == state(erased(given)))
        #expect(state(erased(given)).identifier?.holder == Self.customers[1])
        #expect(erased(given).map(\.customer) == [nil, Self.customers[1]])
    }
}
