import Customers
import Subscriptions
import Testing

/// What becomes of grants and attributes that somebody asks for.
@Suite struct CustomerDecisionTests {
    private static let now = Moment(milliseconds: 1_000)

    private static func grant(
        _ id: String = "g", entitlement: String = "pro", from: Int64 = 500, until: Int64? = 2_000,
        actor: String? = "support", revokedAt: Int64? = nil
    ) -> Grant {
        Grant(
            id: id, entitlement: entitlement, reason: "order", source: "web", from: Moment(milliseconds: from),
            until: until.map { Moment(milliseconds: $0) }, actor: actor,
            revokedAt: revokedAt.map { Moment(milliseconds: $0) })
    }

    private static func decide(
        _ change: CustomerRequest.Content, _ grants: [Grant] = [], attributes: [String: AttributeValue] = [:]
    ) -> CustomerDecision {
        let request = CustomerRequest(customer("u"), change, actor: "support")
        return CustomerDecision(request, CustomerState(grants: grants, attributes: attributes), at: 0, Self.now)
    }

    private static func granted(_ decision: CustomerDecision) -> Grant? {
        guard case .granted(let grant) = decision.record?.content else { return nil }
        return grant
    }

    // MARK: Grants

    @Test func `a grant is recorded with who asked and why`() {
        let decision = Self.decide(.grant(Self.grant(), startsNow: false, replaces: false))
        #expect(decision.refusal == nil)
        #expect(
            decision.record == CustomerRecord(customer("u"), .granted(Self.grant()), actor: "support")
        )
    }

    @Test(
        arguments: [
            (500, nil, nil), (500, 1_001, nil), (5_000, 5_001, nil), (500, 1_000, CustomerRefusal.grantIsOver),
            (500, 500, .grantEndsBeforeItBegins), (3_000, 2_000, .grantEndsBeforeItBegins),
        ] as [(Int64, Int64?, CustomerRefusal?)])
    func `a grant has to end after it begins, and not before now`(
        from: Int64, until: Int64?, refusal: CustomerRefusal?
    ) {
        let grant = Self.grant(from: from, until: until)
        for replaces in [false, true] {
            let decision = Self.decide(.grant(grant, startsNow: false, replaces: replaces))
            #expect(decision.refusal == refusal)
            #expect((decision.record == nil) == (refusal != nil))
        }
    }

    @Test func `one that begins now begins when it is decided`() {
        let decision = Self.decide(.grant(Self.grant(from: 7), startsNow: true, replaces: false))
        #expect(Self.granted(decision)?.from == Self.now)
    }

    @Test func `a repetition is fulfilled, whoever repeats it, and also when the grant is over or was taken back`() {
        for held in [Self.grant(), Self.grant(until: 900), Self.grant(revokedAt: 800)] {
            var asked = held
            (asked.actor, asked.revokedAt) = ("another", nil)
            let decision = Self.decide(.grant(asked, startsNow: false, replaces: false), [held])
            #expect(decision == Self.decide(.revoke(grant: "g"), [Self.grant(until: 900)]), "nothing is said")
            asked.from = Moment(milliseconds: 999)
            #expect(Self.decide(.grant(asked, startsNow: true, replaces: false), [held]).refusal == nil)
        }
    }

    @Test func `another grant of the same id is refused, unless it may replace`() {
        let other = Self.grant(entitlement: "basic")
        let refused = Self.decide(.grant(other, startsNow: false, replaces: false), [Self.grant()])
        #expect(refused.refusal == .grantExists && refused.record == nil)
        #expect(Self.granted(Self.decide(.grant(other, startsNow: false, replaces: true), [Self.grant()])) == other)
    }

    @Test func `what is extended while it lives goes on from where it began, and else begins now`() {
        let longer = Self.grant(from: 0, until: 9_000)
        func from(_ held: Grant) -> Moment? {
            Self.granted(Self.decide(.grant(longer, startsNow: true, replaces: true), [held]))?.from
        }
        #expect(from(Self.grant()) == Moment(milliseconds: 500))
        #expect(from(Self.grant(until: 900)) == Self.now)
        #expect(from(Self.grant(revokedAt: 600)) == Self.now)
        #expect(from(Self.grant(from: 5_000, until: 6_000)) == Self.now, "it has not begun")
        #expect(from(Self.grant(from: 5_000, until: 9_000)) == Self.now)
    }

    @Test func `what was taken back is granted again only by what replaces it`() {
        let held = Self.grant(revokedAt: 800)
        #expect(Self.decide(.grant(Self.grant(), startsNow: false, replaces: false), [held]).record == nil)
        #expect(
            Self.granted(Self.decide(.grant(Self.grant(), startsNow: false, replaces: true), [held]))?.revokedAt == nil)
    }

    @Test func `of fifty grants that live none gives way, and of those that have ended the first`() {
        let live = (0..<50).map { Self.grant("\($0)") }
        let new = Self.grant("new")
        #expect(Self.decide(.grant(new, startsNow: false, replaces: false), live).refusal == .tooManyGrants)
        #expect(Self.decide(.grant(new, startsNow: false, replaces: true), live).refusal == .tooManyGrants)
        let again = Self.grant("7", until: 3_000)
        #expect(Self.decide(.grant(again, startsNow: false, replaces: true), live).refusal == nil)

        var some = live
        some[3] = Self.grant("3", until: 900)
        some[20] = Self.grant("20", revokedAt: 800)
        let decision = Self.decide(.grant(new, startsNow: false, replaces: false), some)
        var state = CustomerState(grants: some)
        state.apply(decision.record!, at: Self.now)
        #expect(state.grants.count == 50)
        #expect(state.grant("20") == nil && state.grant("3") != nil && state.grants.last == new)
        // What ended does not come back to life beside fifty others.
        some[3] = Self.grant("3")
        #expect(
            Self.decide(.grant(Self.grant("20"), startsNow: false, replaces: true), some + [new]).refusal
                == .tooManyGrants)
    }

    @Test func `grants of long texts have less room, and a grant that grows needs room too`() {
        func long(_ id: String, _ bytes: Int) -> Grant {
            Self.grant(id, entitlement: String(repeating: "e", count: bytes))
        }
        var state = CustomerState()
        func decide(_ grant: Grant) -> CustomerDecision {
            let request = CustomerRequest(
                customer("u"), .grant(grant, startsNow: false, replaces: true), actor: "support")
            return CustomerDecision(request, state, at: 0, Self.now)
        }
        while let record = decide(long("\(state.grants.count)", 1_000)).record { state.apply(record, at: Self.now) }
        #expect(state.grants.count == 11)
        #expect(state.grants.reduce(0) { $0 + $1.size } <= CustomerState.grantBytes)
        #expect(decide(long("0", 3_000)).refusal == .tooManyGrants)
        #expect(decide(long("0", 900)).refusal == nil)
        for place in 0..<4 {
            state.apply(CustomerRecord(nil, .revoked(grant: GrantKey("\(place + 1)"), at: Self.now)), at: Self.now)
        }
        state.apply(decide(long("0", 3_000)).record!, at: Self.now)
        #expect(state.grant("0")?.entitlement.utf8.count == 3_000)
        #expect(state.grant("1") == nil && state.grant("4") != nil, "as many go as have to")
    }

    @Test func `whoever's clock is behind sees what has been recorded`() {
        var state = CustomerState()
        state.apply(CustomerRecord(nil, .granted(Self.grant("begun", from: 990))), at: Self.now)
        state.apply(CustomerRecord(nil, .granted(Self.grant("later", from: 1_500))), at: Self.now)
        state.apply(CustomerRecord(nil, .granted(Self.grant("back", from: 900))), at: Self.now)
        state.apply(CustomerRecord(nil, .revoked(grant: GrantKey("back"), at: Self.now)), at: Self.now)
        let behind = Moment(milliseconds: 950)
        let entitling = state.grants(seenAt: behind).filter { $0.entitles(at: behind) }.map(\.id)
        #expect(entitling == ["begun"])
        let after = Moment(milliseconds: 1_600)
        #expect(state.grants(seenAt: after).filter { $0.entitles(at: after) } == state.grants.prefix(2).map(\.self))
    }

    @Test func `an owner whose clock is behind the one before takes what that one has recorded as done`() {
        func decide(_ content: CustomerRequest.Content, _ grant: Grant) -> CustomerDecision {
            let state = CustomerState(grants: [grant], changedAt: Moment(milliseconds: 1_200))
            return CustomerDecision(CustomerRequest(customer("u"), content, actor: "support"), state, at: 0, Self.now)
        }
        let begun = Self.grant(from: 1_100)
        let repeated = decide(.grant(Self.grant(from: 0), startsNow: true, replaces: false), begun)
        #expect(repeated.record == nil && repeated.refusal == nil)
        let extended = decide(.grant(Self.grant(from: 0, until: 9_000), startsNow: true, replaces: true), begun)
        #expect(Self.granted(extended)?.from == begun.from, "its start does not go back")
        let back = decide(.revoke(grant: "g"), Self.grant(revokedAt: 1_150))
        #expect(back.record == nil && back.refusal == nil, "it is taken back already")
    }

    @Test func `taking back ends a grant now, and says nothing of one that has ended`() {
        let decision = Self.decide(.revoke(grant: "g"), [Self.grant()])
        #expect(decision.record?.content == .revoked(grant: GrantKey("g"), at: Self.now))
        var state = CustomerState(grants: [Self.grant()])
        state.apply(decision.record!, at: Self.now)
        #expect(state.grant("g")?.entitles(at: Self.now) == false)
        #expect(state.grant("g")?.entitles(at: Moment(milliseconds: 999)) == true)
        for ended in [Self.grant(until: 900), Self.grant(revokedAt: 800)] {
            let decision = Self.decide(.revoke(grant: "g"), [ended])
            #expect(decision.record == nil && decision.refusal == nil)
        }
        #expect(Self.decide(.revoke(grant: "g")).refusal == .unknownGrant)
        // One that has not begun is taken back before it begins.
        state = CustomerState(grants: [Self.grant(from: 1_500)])
        state.apply(Self.decide(.revoke(grant: "g"), state.grants).record!, at: Self.now)
        #expect(state.grant("g")?.entitles(at: Moment(milliseconds: 1_600)) == false)
    }

    // MARK: Attributes

    @Test func `what is named replaces, nil removes, and the rest stays`() {
        let held: [String: AttributeValue] = ["a": .number(1), "b": .text("x"), "c": .boolean(true)]
        let changes: [String: AttributeValue?] = ["a": .number(2), "b": nil, "d": .text("y")]
        let decision = Self.decide(.set(changes), attributes: held)
        var state = CustomerState(attributes: held)
        state.apply(decision.record!, at: Self.now)
        #expect(state.attributes == ["a": .number(2), "c": .boolean(true), "d": .text("y")])
        #expect(decision.record?.content == .attributes(changes))
        let known = Self.decide(.set(["a": .number(1), "b": nil, "never": nil]), attributes: held)
        #expect(known.record?.content == .attributes(["b": nil]), "only what changes is recorded")
        let again = CustomerDecision(CustomerRequest(customer("u"), .set(changes)), state, at: 0, Self.now)
        #expect(again.record == nil && again.refusal == nil, "a repetition says nothing")
    }

    @Test func `more attributes than there is room for are refused, and taking some away is not`() {
        let full = Dictionary(uniqueKeysWithValues: (0..<32).map { ("\($0)", AttributeValue.boolean(true)) })
        #expect(Self.decide(.set(["33": .boolean(true)]), attributes: full).refusal == .tooManyAttributes)
        #expect(Self.decide(.set(["33": .boolean(true), "0": nil]), attributes: full).refusal == nil)
        let text = String(repeating: "é", count: 511)
        #expect(Self.decide(.set(["ab": .text(text)])).refusal == nil)
        #expect(Self.decide(.set(["abc": .text(text)])).refusal == .tooManyAttributes)
        #expect(Self.decide(.set(["abc": .text(text)])).record == nil)
    }

    // MARK: Laws

    @Test(arguments: 0..<20) func `whatever is asked, a state stays in its bounds and a repetition changes nothing`(
        seed: UInt64
    ) {
        var random = Random(seed: seed)
        var state = CustomerState()
        var moment: Int64 = 0
        for _ in 0..<600 {
            moment += Int64.random(in: 0...20, using: &random)
            let now = Moment(milliseconds: moment)
            let id = "\(Int.random(in: 0..<80, using: &random))"
            let change: CustomerRequest.Content =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: .revoke(grant: id)
                case 1: .set(["a\(id)": Bool.random(using: &random) ? .number(1) : nil])
                default:
                    .grant(
                        Self.grant(
                            id, from: Int64.random(in: moment - 50...moment + 50, using: &random),
                            until: Bool.random(using: &random)
                                ? nil : Int64.random(in: moment - 50...moment + 900, using: &random)),
                        startsNow: Bool.random(using: &random), replaces: Bool.random(using: &random))
                }
            let request = CustomerRequest(customer("u"), change, actor: "support")
            let decision = CustomerDecision(request, state, at: 0, now)
            #expect(decision.record == nil || decision.refusal == nil)
            let before = state
            if let record = decision.record { state.apply(record, at: now) }
            #expect(state.grants.count <= 50 && state.attributes.count <= 32)
            #expect(state.grants.reduce(0) { $0 + $1.size } <= CustomerState.grantBytes)
            #expect(Set(state.grants.map(\.id)).count == state.grants.count)
            // Whoever else has a grant that lives keeps it.
            for grant in before.grants where grant.isLive(at: now) && grant.id != id {
                #expect(state.grant(grant.id) == grant)
            }
            guard decision.refusal == nil else { continue }
            let again = CustomerDecision(request, state, at: 0, now)
            #expect(again.record == nil && again.refusal == nil)
        }
    }
}
