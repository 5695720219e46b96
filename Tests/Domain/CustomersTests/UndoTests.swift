import Customers
import PerennialTestSupport
import Subscriptions
import Testing

/// Taking back what people have said restores exactly, and only what nobody has changed since.
@Suite struct UndoTests {
    private static let names = ["a", "b", "c", "d"]

    /// Links as any order of what people may say leaves them.
    private static func randomLeads(_ random: inout SeededGenerator) -> StreamLeads {
        var leads = StreamLeads(token: Bool.random(using: &random) ? 1 : nil)
        for _ in 0..<Int.random(in: 0...6, using: &random) { leads.apply(Self.randomRecord(&random)) }
        return leads
    }

    private static func randomRecord(_ random: inout SeededGenerator) -> LinkRecord {
        let action = LinkRecord.Action.allCases.randomElement(using: &random)!
        let name: CustomerID? =
            action == .linked && Int.random(in: 0..<4, using: &random) == 0
            ? nil : customer(Self.names.randomElement(using: &random)!)
        return LinkRecord(
            action, name, token: Bool.random(using: &random) ? token(2) : nil,
            place: place(.random(in: 1...9, using: &random)))
    }

    private static func decide(_ undo: LinkUndo, _ leads: StreamLeads) -> LinkDecision {
        let request = LinkRequest(customer("a"), origin: .backend, action: .undo(undo), actor: "care")
        return LinkDecision(undoing: request, undo, leads.stream())
    }

    @Test func `with nothing changed since, links are restored exactly`() {
        var random = SeededGenerator(seed: 38)
        for _ in 0..<20_000 {
            let before = Self.randomLeads(&random)
            var after = before
            for _ in 0..<Int.random(in: 1...3, using: &random) { after.apply(Self.randomRecord(&random)) }
            let undo = LinkUndo(from: StreamLinks(after), to: StreamLinks(before))
            let decision = Self.decide(undo, after)
            #expect(decision.refusal == nil)
            #expect(decision.records.allSatisfy { $0.actor == "care" })
            var restored = after
            for record in decision.records { restored.apply(record) }
            #expect(restored == before)
        }
    }

    @Test func `to whom the stream leads by now nobody touches`() {
        var random = SeededGenerator(seed: 39)
        for _ in 0..<20_000 {
            let (before, after, now) = (
                Self.randomLeads(&random), Self.randomLeads(&random), Self.randomLeads(&random)
            )
            let undo = LinkUndo(from: StreamLinks(after), to: StreamLinks(before))
            let decision = Self.decide(undo, now)
            let isAsPut = now.link == after.link && now.sharers == after.sharers
            #expect((decision.refusal == .nothingToUndo) == !isAsPut)
            guard isAsPut else {
                #expect(decision.records.isEmpty)
                continue
            }
            var restored = now
            for record in decision.records { restored.apply(record) }
            #expect(restored.link == before.link && restored.sharers == before.sharers)
            // Who has come to wait since goes on waiting, unless the stream is theirs again.
            if now.conflicts != after.conflicts {
                #expect(Set(restored.conflicts) == Set(now.conflicts).subtracting(before.linkedCustomers))
            }
        }
    }

    // MARK: Grants

    private static let now = Moment(milliseconds: 1_760_000_000_000)

    private static func grant(_ id: String, until: Moment? = nil, reason: String = "r") -> Grant {
        Grant(id: id, entitlement: "pro", reason: reason, source: "web", from: Self.now, until: until)
    }

    private static func decide(_ from: Grant, _ to: Grant?, _ state: CustomerState) -> CustomerDecision {
        CustomerDecision(
            CustomerRequest(customer("a"), .restore(from: from, to: to), actor: "care"), state, at: 1, Self.now)
    }

    @Test func `a grant says again what it said, and one that was not there is taken back`() throws {
        let (old, new) = (Self.grant("g"), Self.grant("g", until: Self.now + .days(3), reason: "changed"))
        let state = CustomerState(customer("a"), grants: [Self.grant("other"), new])
        var restored = state
        restored.apply(try #require(Self.decide(new, old, state).record), at: Self.now)
        #expect(restored.grants == [Self.grant("other"), old])
        var without = state
        without.apply(try #require(Self.decide(new, nil, state).record), at: Self.now)
        #expect(!without.grants.contains { $0.id == "g" && $0.isLive(at: Self.now) })
        var revoked = new
        revoked.revokedAt = Self.now
        var back = CustomerState(customer("a"), grants: [revoked])
        back.apply(try #require(Self.decide(revoked, new, back).record), at: Self.now)
        #expect(back.grants == [new])
    }

    @Test func `a grant that says something else by now is left alone`() {
        let new = Self.grant("g", reason: "changed")
        for state in [CustomerState(customer("a")), CustomerState(customer("a"), grants: [Self.grant("g")])] {
            let decision = Self.decide(new, Self.grant("g"), state)
            #expect(decision.refusal == .nothingToUndo && decision.record == nil)
        }
    }

    @Test func `what there is no room for is not restored`() {
        let others = (0..<CustomerState.grantLimit).map { Self.grant("g\($0)") }
        var revoked = Self.grant("old")
        revoked.revokedAt = Self.now
        let state = CustomerState(customer("a"), grants: others + [revoked])
        #expect(Self.decide(revoked, Self.grant("old"), state).refusal == .tooManyGrants)
    }

    @Test func `a customer who has been moved has nothing to be restored`() {
        let grant = Self.grant("g")
        let state = CustomerState(customer("a"), grants: [grant], movedTo: customer("b"))
        #expect(Self.decide(grant, nil, state).refusal == .customerMoved)
    }
}
