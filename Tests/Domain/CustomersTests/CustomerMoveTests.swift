import Customers
import Subscriptions
import Testing

/// What becomes of the steps of a move, each by itself.
@Suite struct CustomerMoveTests {
    private static let now = Moment(milliseconds: 1_000_000)

    private static func decide(
        _ content: CustomerRequest.Content, _ state: CustomerState, at version: Int64 = 7
    ) -> CustomerDecision {
        CustomerDecision(CustomerRequest(customer("u"), content, actor: "shop", reason: "r"), state, at: version, now)
    }

    private static func belongings(_ state: CustomerState = CustomerState(), of origin: UInt64 = 1) -> Belongings {
        state.belongings(of: origin)
    }

    private static func grant(_ id: String, until end: Moment? = nil, reason: String = "r") -> Grant {
        Grant(id: id, entitlement: "pro", reason: reason, source: "web", from: now, until: end)
    }

    private static let full = CustomerState(grants: (0..<50).map { grant("g\($0)") })

    @Test func `who has moved does nothing more, and a repetition is fulfilled`() {
        let moved = CustomerState(movedTo: customer("v"))
        for content in [
            .move(to: customer("v"), at: 6), .settle(customer("a"), Self.belongings(), at: 2),
            .drop(customer("a"), before: 9),
        ] as [CustomerRequest.Content] {
            let decision = Self.decide(content, moved)
            #expect(decision.record == nil && decision.refusal == nil)
        }
        // Whoever has begun before the newest change reads it again.
        #expect(Self.decide(.move(to: customer("v"), at: 5), moved).refusal == .customerMoving)
        for content in [
            .move(to: customer("w"), at: 7), .take(customer("a"), at: 1, Room(), origin: 1), .revoke(grant: "g"),
            .set(["a": .boolean(true)]),
        ] as [CustomerRequest.Content] {
            let decision = Self.decide(content, moved)
            #expect(decision.record == nil && decision.refusal == .customerMoved)
        }
    }

    @Test func `nobody moves who expects somebody, or whose stream has changed`() {
        let move = CustomerRequest.Content.move(to: customer("v"), at: 7)
        let decision = Self.decide(move, CustomerState())
        #expect(decision.record?.content == .moved(to: customer("v")))
        #expect(decision.record?.actor == "shop" && decision.record?.reason == "r")
        #expect(Self.decide(move, CustomerState(takes: [.init(customer("a"), at: 1)])).refusal == .customerMoving)
        #expect(Self.decide(move, CustomerState(), at: 8).refusal == .customerMoving)
    }

    @Test func `somebody is taken for the newest version that asks, and once`() {
        func take(
            _ name: String, _ state: CustomerState, at version: Int64, of origin: UInt64 = 1, names: Int = 1
        ) -> CustomerDecision {
            Self.decide(.take(customer(name), at: version, Room(names: names), origin: origin), state)
        }
        #expect(take("a", CustomerState(), at: 0).record?.content == .takes(customer("a"), at: 0, Room()))
        let taking = CustomerState(takes: [.init(customer("a"), at: 5)])
        #expect(take("a", taking, at: 5).record == nil && take("a", taking, at: 4).refusal == nil)
        #expect(take("a", taking, at: 6).record != nil)
        let arrived = CustomerState(arrived: [1])
        #expect(take("a", arrived, at: 6).record == nil && take("a", arrived, at: 6).refusal == nil)
        #expect(take("a", arrived, at: 6, of: 2).record != nil)

        let busy = CustomerState(takes: (0..<4).map { .init(customer("a\($0)"), at: 1) })
        #expect(take("b", busy, at: 1).refusal == .customerMoving && take("a3", busy, at: 2).refusal == nil)
        #expect(take("a", .many(127), at: 1).refusal == nil)
        #expect(take("a", .many(127), at: 1, names: 2).refusal == .tooManyNames)
        let nearly = CustomerState.many(20, takes: [.init(customer("b"), at: 1, Room(names: 100))])
        #expect(take("a", nearly, at: 1, names: 8).refusal == nil)
        #expect(take("a", nearly, at: 1, names: 9).refusal == .tooManyNames)
    }

    @Test func `what is dropped is what was taken before, and no later one`() {
        let taking = CustomerState(takes: [.init(customer("a"), at: 5)])
        #expect(Self.decide(.drop(customer("a"), before: 6), taking).record?.content == .drops(customer("a")))
        #expect(Self.decide(.drop(customer("a"), before: 5), taking).record == nil)
        #expect(Self.decide(.drop(customer("b"), before: 9), taking).record == nil)
        #expect(Self.decide(.stay, taking).record?.content == .stays)
    }

    @Test func `room is kept for what whoever moves here brings along`() throws {
        let state = CustomerState(grants: (0..<30).map { Self.grant("g\($0)") })
        func take(_ name: String, grants: Int, bytes: Int = 0, _ state: CustomerState) -> CustomerDecision {
            Self.decide(.take(customer(name), at: 1, Room(grants: grants, bytes: bytes), origin: 1), state)
        }
        #expect(take("a", grants: 20, state).refusal == nil && take("a", grants: 21, state).refusal == .tooManyGrants)
        let taking = CustomerState(grants: state.grants, takes: [.init(customer("a"), at: 1, Room(grants: 15))])
        #expect(take("b", grants: 5, taking).refusal == nil && take("b", grants: 6, taking).refusal == .tooManyGrants)
        #expect(take("b", grants: 1, bytes: 12 * 1_024, state).refusal == .tooManyGrants)
        func grant(_ id: String, _ state: CustomerState) -> CustomerDecision {
            Self.decide(.grant(Self.grant(id, reason: "q"), startsNow: false, replaces: true), state)
        }
        let full = CustomerState(grants: state.grants, takes: [.init(customer("a"), at: 1, Room(grants: 20))])
        #expect(grant("new", full).refusal == .tooManyGrants && grant("new", taking).refusal == nil)
        #expect(grant("g1", full).refusal == nil, "what is extended has its room")
        // Who has more than there may be takes in who brings nothing.
        #expect(take("a", grants: 0, bytes: 0, Self.full).refusal == nil)
        #expect(Self.decide(.settle(customer("a"), Self.belongings(), at: 2), state).record == nil, "not taken")
        #expect(Self.decide(.settle(customer("a"), Self.belongings(), at: 2), full).record != nil)

        let over = CustomerState(grants: [Self.grant("g"), Self.grant("h", until: Self.now)], arrived: [8, 9])
        #expect(over.room(at: Self.now) == Room(names: 3, grants: 1, bytes: over.grants[0].size + 9))
    }

    @Test func `what is brought along is the customer's own, and each id names its own`() throws {
        let past = Moment(milliseconds: 10)
        var state = CustomerState(
            grants: [Self.grant("web")], attributes: ["a": .number(1)], takes: [.init(customer("a"), at: 3)])
        let brought = Belongings(
            grants: [Self.grant("web", reason: "q"), Self.grant("over", until: past)],
            attributes: ["a": .number(2), "b": .text("x"), "long": .text(String(repeating: "y", count: 1_020))],
            arrived: [7, 8, 9], asOf: Self.now + Milliseconds(rawValue: 5), of: 4)
        state.apply(CustomerRecord(nil, .taken(customer("a"), brought)), at: Self.now)
        #expect(state.grants.map(\.key) == [GrantKey("web"), GrantKey("web", under: 4), GrantKey("over", under: 4)])
        #expect(state.attributes == ["a": .number(1), "b": .text("x")], "the rest has no room")
        #expect(
            state.names == 5 && state.takes.isEmpty && state.arrived == [4, 7, 8, 9] && state.changedAt == brought.asOf)

        func ask(_ content: CustomerRequest.Content, under origins: [UInt64]) -> CustomerDecision {
            var request = CustomerRequest(customer("u"), content)
            request.origins = origins
            return CustomerDecision(request, state, at: 7, Self.now)
        }
        func revoked(_ id: String, under origins: [UInt64]) -> GrantKey? {
            guard case .revoked(let key, _) = ask(.revoke(grant: id), under: origins).record?.content else {
                return nil
            }
            return key
        }
        #expect(revoked("web", under: []) == GrantKey("web") && revoked("web", under: [4])?.origin == 4)
        #expect(revoked("web", under: [7, 4])?.origin == 4, "brought to the id by another one")
        #expect(ask(.revoke(grant: "web"), under: [8]).refusal == .unknownGrant)
        #expect(ask(.revoke(grant: "web"), under: [5]).refusal == .customerMoving, "it is not this one")
        func granted(_ grant: Grant, under origins: [UInt64], replaces: Bool = false) -> CustomerDecision {
            ask(.grant(grant, startsNow: false, replaces: replaces), under: origins)
        }
        let same = granted(Self.grant("web", reason: "q"), under: [4])
        #expect(same.record == nil && same.refusal == nil, "a repetition under the old id")
        #expect(granted(Self.grant("web", reason: "q"), under: []).refusal == .grantExists)
        guard case .granted(let replaced) = granted(Self.grant("web"), under: [4], replaces: true).record?.content
        else {
            Issue.record("not replaced")
            return
        }
        #expect(replaced.origin == 4)

        // What the customer itself has ended with, or never had, is that of another id; which of several, only that id can tell.
        state.apply(CustomerRecord(nil, .revoked(grant: GrantKey("web"), at: Self.now)), at: Self.now)
        #expect(revoked("web", under: []) == GrantKey("web", under: 4))
        state.apply(CustomerRecord(nil, .takes(customer("b"), at: 1, Room())), at: Self.now)
        let second = Belongings(grants: [Self.grant("web", reason: "s")], of: 5)
        state.apply(CustomerRecord(nil, .taken(customer("b"), second)), at: Self.now)
        #expect(ask(.revoke(grant: "web"), under: []).refusal == .severalGrants)
        #expect(granted(Self.grant("web"), under: [], replaces: true).refusal == .severalGrants)
        #expect(revoked("web", under: [5])?.origin == 5)
        // What has been said of it since is newer than what is brought along late.
        state.apply(CustomerRecord(nil, .taken(customer("b"), second)), at: Self.now)
        #expect(state.grants.filter { $0.origin == 5 }.count == 1)

        // Moved on, each keeps its origin.
        var next = CustomerState(takes: [.init(customer("u"), at: 9)])
        next.apply(CustomerRecord(nil, .taken(customer("u"), state.belongings(of: 8))), at: Self.now)
        #expect(next.grants.map(\.origin) == [8, 4, 4, 5])

        var full = Self.full
        full.apply(CustomerRecord(nil, .revoked(grant: GrantKey("g7"), at: Self.now)), at: Self.now)
        let more = Self.belongings(CustomerState(grants: [Self.grant("new"), Self.grant("z", until: past)]))
        full.apply(CustomerRecord(nil, .taken(customer("a"), more)), at: Self.now)
        #expect(full.grants.count == 50 && full.grant("new") != nil)
        #expect(full.grant("g7") == nil && full.grant("z") == nil)
    }
}
