import Entitlements
import Subscriptions
import Testing

@Suite struct ReevaluatorTests {
    private static let rules = DerivationRules(nonRenewingDuration: ["pass": .days(7)])
    private static let other = DerivationRules(
        renewalLeeway: [.production: .hours(9)], nonRenewingDuration: ["pass": .days(8)])

    private static func catalog(_ product: String?) -> Catalog {
        Catalog([Catalog.Entry(entitlement: "pro", products: [product].compactMap(\.self))])
    }

    private static func row(_ story: Story, _ rules: DerivationRules = Self.rules) -> [UInt8] {
        EntitlementRow(state: story.state, version: 7, from: story.now, rules: rules)
            .encoded(under: RulesFingerprint(rules))
    }

    /// Of a node that answers by these, where all were told by `told`; the catalogs of both are known.
    private static func reevaluator(
        _ catalog: Catalog, rules: DerivationRules = Self.rules, told: Catalog? = nil, since: Moment = .distantPast
    ) -> Reevaluator {
        var history = CatalogHistory(catalog: (told ?? catalog).fingerprint)
        history.adopt(catalog.fingerprint, at: since)
        return Reevaluator(
            rules: rules, catalog: catalog, history: history,
            earlier: [catalog.fingerprint: catalog].merging(told.map { [$0.fingerprint: $0] } ?? [:]) { first, _ in
                first
            })
    }

    @Test("with the same settings and logic there is nothing to tell, at any moment", arguments: Story.all)
    func nothingChanged(_ story: Story) {
        let reevaluator = Self.reevaluator(Self.catalog("pro.monthly"))
        for hours in stride(from: -48, to: 24 * 100, by: 1) {
            let moment = story.now + .hours(Int64(hours))
            #expect(reevaluator.reevaluation(of: Self.row(story), story.state, at: moment) == nil)
            #expect(!reevaluator.mayConcern(Self.row(story), at: moment))
        }
    }

    @Test("a row that says nothing of its rules is made anew, and tells only what differs", arguments: Story.all)
    func oldRows(_ story: Story) {
        let reevaluator = Self.reevaluator(Self.catalog("pro.monthly"))
        let old = [1] + Self.row(story).dropFirst(5)
        #expect(reevaluator.mayConcern(old, at: story.now) && reevaluator.isMadeByOthers(old))
        #expect(reevaluator.reevaluation(of: old, story.state, at: story.now) == nil)
    }

    @Test("changed rules are told exactly where and when they change the answer", arguments: Story.all)
    func changedRules(_ story: Story) throws {
        let reevaluator = Self.reevaluator(Self.catalog("pro.monthly"), rules: Self.other)
        for hours in stride(from: 0, to: 24 * 100, by: 1) {
            let moment = story.now + .hours(Int64(hours))
            let before = try #require(story.state.snapshot(at: moment, rules: Self.rules))
            let after = try #require(story.state.snapshot(at: moment, rules: Self.other))
            let told = reevaluator.reevaluation(of: Self.row(story), story.state, at: moment)
            let differs =
                before.entitled != after.entitled || before.validUntil != after.validUntil
                || before.state != after.state || before.productID != after.productID
                || CohortCode(before) != CohortCode(after)
            #expect((told != nil) == differs)
            guard let told else { continue }
            #expect(told.previous.validUntil == before.validUntil && told.current.validUntil == after.validUntil)
            #expect(told.previous.entitled == before.entitled && told.current.entitled == after.entitled)
            #expect(reevaluator.mayConcern(Self.row(story), at: moment))
            // Told once, there is nothing left.
            let row = EntitlementRow(state: story.state, version: 8, from: moment, rules: Self.other)
                .encoded(under: RulesFingerprint(Self.other))
            #expect(reevaluator.reevaluation(of: row, story.state, at: moment) == nil)
        }
    }

    @Test("a changed catalog is told of streams that entitle, and that were told by the other", arguments: Story.all)
    func changedCatalog(_ story: Story) throws {
        let snapshot = try #require(story.state.snapshot(at: story.now, rules: Self.rules))
        let (with, without) = (Self.catalog(snapshot.productID), Self.catalog(nil))
        #expect(with.fingerprint != without.fingerprint)
        let lost = Self.reevaluator(without, told: with, since: story.now + .hours(1))
        let told = lost.reevaluation(of: Self.row(story), story.state, at: story.now + .hours(1))
        let later = try #require(story.state.snapshot(at: story.now + .hours(1), rules: Self.rules))
        #expect((told != nil) == later.entitled)
        if let told {
            #expect(told.previous.entitlements == ["pro"] && told.current.entitlements == [])
            #expect(told.previous.entitled && told.current.entitled, "the stream itself entitles as before")
        }
        // Whose row was made when the node had taken the catalog up was told by it.
        let since = Self.reevaluator(without, told: with, since: story.now)
        #expect(since.reevaluation(of: Self.row(story), story.state, at: story.now + .hours(1)) == nil)
    }

    @Test func `a catalog that cannot be read any more takes nothing from anybody`() {
        var history = CatalogHistory(catalog: 1)
        let catalog = Self.catalog("pro.monthly")
        history.adopt(catalog.fingerprint, at: Story.day(1_000))
        let reevaluator = Reevaluator(rules: Self.rules, catalog: catalog, history: history, earlier: [:])
        for story in Story.all {
            #expect(reevaluator.reevaluation(of: Self.row(story), story.state, at: story.now) == nil)
        }
    }

    @Test func `what is no row, or of no stream that gives access, concerns nobody`() {
        let reevaluator = Self.reevaluator(Self.catalog("pro.monthly"))
        #expect(!reevaluator.mayConcern([], at: Story.day(0)))
        let state = Story.all[0].state
        for bytes: [UInt8] in [[], [9], [2, 0, 0, 0, 0], [1, 255]] {
            #expect(reevaluator.reevaluation(of: bytes, state, at: Story.day(0)) == nil)
        }
    }
}
