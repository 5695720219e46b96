import Customers
import Entitlements
import Subscriptions
import Testing

/// The answer for a customer and a name, from all that leads there.
@Suite struct HoldingsTests {
    static let catalog = Catalog([
        .init(entitlement: "basic", products: ["basic", "pro"], rank: 1),
        .init(entitlement: "pro", products: ["pro"], rank: 2),
        .init(entitlement: "season", products: ["pass"], rank: 1),
    ])
    static let rules = DerivationRules(nonRenewingDuration: ["pass": .days(30)])

    private static func at(_ day: Int64) -> Moment { Moment(milliseconds: day * 86_400_000) }

    /// A stream that entitles from day 0 until `end`, or never, by one product after another.
    private static func stream(
        _ id: String, _ phases: (from: Int64, state: LifecycleState, product: String?)...,
        ownership: String = "PURCHASED",
        environment: AppStoreEnvironment = .production, purchased: Int64 = 0, quantity: Int64 = 1,
        kind: StreamKind = .subscription
    ) -> HeldStream {
        HeldStream(
            key: StreamKey(kind: kind, id: id, environment: environment, bundleID: BundleID(rawValue: "app")),
            phases: phases.map { from, state, product in
                let entitled = state == .subscribed || state == .grace || state == .owned
                let code = [.subscribed: 5, .grace: 1, .retry: -1, .expired: -5, .revoked: -8, .owned: 3][state] ?? 0
                return HeldStream.Phase(
                    from: Self.at(from), state: state, entitled: entitled, code: CohortCode(state: code, offer: 0),
                    productID: product, purchaseDate: Self.at(purchased), quantity: quantity, ownership: ownership)
            })
    }

    private static func grant(
        _ id: String, _ entitlement: String, from: Int64 = 0, until: Int64?, revoked: Int64? = nil,
        environment: AppStoreEnvironment = .production
    ) -> Grant {
        Grant(
            id: id, entitlement: entitlement, reason: "", source: "web", from: Self.at(from), until: until.map(Self.at),
            environment: environment, actor: "shop", revokedAt: revoked.map(Self.at))
    }

    private func answer(
        _ name: String?, at day: Int64 = 5, _ streams: [HeldStream], _ grants: [Grant] = [],
        in environment: AppStoreEnvironment = .production, sandbox: Bool = false
    ) -> CustomerAnswer {
        let streams = streams.map { stream in
            var stream = stream
            stream.countsInProduction = sandbox
            return stream
        }
        return CustomerHoldings(
            streams: streams, grants: grants, in: environment, catalog: Self.catalog, rules: Self.rules
        ).answer(for: name, at: Self.at(day))
    }

    private static let basic = stream("1", (0, .subscribed, "basic"), (30, .expired, "basic"))
    private static let pro = stream("2", (0, .subscribed, "pro"), (20, .expired, "pro"))

    @Test func `a no shows what was in Production before what was in Sandbox`() {
        let production = Self.stream("1", (0, .expired, "pro"))
        let sandbox = Self.stream("2", (0, .retry, "pro"), environment: .sandbox, purchased: 3)
        for streams in [[production, sandbox], [sandbox, production]] {
            #expect(self.answer("pro", streams, sandbox: true).state == .stream(.expired))
        }
        #expect(self.answer("pro", [sandbox], sandbox: true).state == .stream(.retry))
    }

    @Test func `a customer without anything is entitled to nothing`() {
        let answer = self.answer("pro", [])
        #expect(!answer.entitled)
        #expect(answer.code == .nothing)
        #expect(answer.state == nil)
    }

    @Test func `a name is given by any product that the catalog has for it, and ends with the last of them`() {
        let basic = self.answer("basic", [Self.basic, Self.pro])
        #expect(basic.entitled)
        #expect(basic.validUntil == Self.at(30))
        #expect(basic.by == .stream(Self.basic.key), "the later end, of two of one rank")
        #expect(self.answer("pro", [Self.basic, Self.pro]).validUntil == Self.at(20))
        #expect(!self.answer("pro", at: 20, [Self.basic, Self.pro]).entitled)
        #expect(!self.answer("pro", [Self.basic]).entitled)
    }

    @Test func `a period that is paid as another product counts as that product`() {
        let downgraded = Self.stream("3", (0, .subscribed, "pro"), (10, .subscribed, "basic"), (40, .expired, "basic"))
        #expect(self.answer("pro", [downgraded]).validUntil == Self.at(10))
        #expect(self.answer("basic", [downgraded]).validUntil == Self.at(40))
        #expect(self.answer(nil, [downgraded]).validUntil == Self.at(40))
    }

    @Test
    func `the best is by rank, then Production, then what is the customer's own, then the later end, then the key`() {
        func best(_ streams: HeldStream..., grants: [Grant] = []) -> EntitlementGiver? {
            let answers = [streams, streams.reversed()].map { self.answer(nil, $0, grants, sandbox: true).by }
            #expect(answers[0] == answers[1], "whatever their order")
            return answers[0]
        }
        let sandbox = Self.stream("4", (0, .subscribed, "pro"), environment: .sandbox)
        let family = Self.stream("5", (0, .subscribed, "pro"), ownership: "FAMILY_SHARED")
        #expect(best(Self.basic, Self.pro) == .stream(Self.pro.key))
        #expect(best(sandbox, Self.pro) == .stream(Self.pro.key))
        #expect(best(sandbox, family) == .stream(family.key))
        #expect(best(family, Self.pro) == .stream(Self.pro.key))
        let longer = Self.stream("6", (0, .subscribed, "pro"), (25, .expired, "pro"))
        #expect(best(longer, Self.pro) == .stream(longer.key))
        let twin = Self.stream("0", (0, .subscribed, "pro"), (20, .expired, "pro"))
        #expect(best(twin, Self.pro) == .stream(twin.key))
        #expect(best(Self.basic, grants: [Self.grant("g", "pro", until: nil)]) == .grant(id: "g"))
    }

    @Test func `a grant entitles from its beginning to its end, or until it is taken back`() {
        let grant = Self.grant("g", "pro", from: 3, until: 9)
        #expect(!self.answer("pro", at: 2, [], [grant]).entitled)
        let answer = self.answer("pro", at: 3, [], [grant])
        #expect(answer.entitled && answer.code == .granted && answer.state == .granted && answer.rank == 2)
        #expect(answer.validUntil == Self.at(9))
        #expect(!self.answer("pro", at: 9, [], [grant]).entitled)
        #expect(!self.answer("pro", at: 5, [], [Self.grant("g", "pro", until: nil, revoked: 4)]).entitled)
        #expect(self.answer("pro", at: 5, [Self.pro], [Self.grant("g", "pro", until: nil)]).validUntil == nil)
    }

    @Test func `each environment counts what is its own, and Production streams of Sandbox only where they are let in`()
    {
        let sandbox = Self.stream("4", (0, .subscribed, "pro"), environment: .sandbox)
        #expect(!self.answer("pro", [sandbox]).entitled)
        #expect(self.answer("pro", [sandbox], sandbox: true).environment == .sandbox)
        #expect(self.answer("pro", [sandbox], in: .sandbox).entitled)
        #expect(!self.answer("pro", [Self.pro], in: .sandbox).entitled)
        let grant = Self.grant("g", "pro", until: nil, environment: .sandbox)
        #expect(!self.answer("pro", [], [grant], sandbox: true).entitled)
        #expect(self.answer("pro", [], [grant], in: .sandbox).entitled)
    }

    @Test func `a no shows a failed payment first, then a refund, then an end; of several the newest`() {
        let retry = Self.stream("1", (0, .retry, "pro"), purchased: 0)
        let revoked = Self.stream("2", (0, .revoked, "pro"), purchased: 1)
        let expired = Self.stream("3", (0, .expired, "pro"), purchased: 2)
        let older = Self.stream("4", (0, .expired, "pro"), purchased: 1)
        let other = Self.stream("5", (0, .retry, "basic"), purchased: 9)
        #expect(self.answer("pro", [expired, revoked, retry]).code == CohortCode(state: -1, offer: 0))
        #expect(self.answer("pro", [expired, revoked]).state == .stream(.revoked))
        #expect(self.answer("pro", [older, expired]).by == .stream(expired.key))
        #expect(self.answer("pro", [other]).code == .nothing, "its product does not have the name")
    }

    @Test func `without a name anything that entitles counts, in the catalog or not`() {
        let unknown = Self.stream("7", (0, .subscribed, "elsewhere"))
        let answer = self.answer(nil, [unknown])
        #expect(answer.entitled && answer.entitlement == nil && answer.rank == nil)
        #expect(self.answer(nil, [unknown, Self.basic]).entitlement == "basic")
    }

    private static func pass(_ id: String, purchased: Int64, quantity: Int64 = 1, revoked: Bool = false) -> HeldStream {
        stream(
            id, (5, revoked ? .revoked : .owned, "pass"), purchased: purchased, quantity: quantity, kind: .purchase)
    }

    @Test func `purchases that do not renew add up, from the later of their date and the end so far`() {
        let two = [Self.pass("1", purchased: 0), Self.pass("2", purchased: 10)]
        #expect(self.answer("season", [two[0]]).validUntil == Self.at(30))
        #expect(self.answer("season", two).validUntil == Self.at(60))
        #expect(self.answer("season", two.reversed()).validUntil == Self.at(60))
        #expect(
            self.answer("season", [two[0], Self.pass("2", purchased: 10, revoked: true)]).validUntil == Self.at(30))
        #expect(self.answer("season", [Self.pass("1", purchased: 0, quantity: 3)]).validUntil == Self.at(90))
        let ended = self.answer("season", at: 5, [Self.pass("1", purchased: -40)])
        #expect(!ended.entitled && ended.code == CohortCode(state: -5, offer: 0))
    }

    @Test func `a gap between such purchases stays a gap`() {
        let passes = [Self.pass("1", purchased: -100), Self.pass("2", purchased: 0)]
        #expect(self.answer("season", passes).validUntil == Self.at(30))
    }

    @Test func `one that is taken back later is part of the run until then`() {
        let taken = Self.stream(
            "1", (5, .owned, "pass"), (12, .revoked, "pass"), purchased: 0, kind: .purchase)
        let passes = [taken, Self.pass("2", purchased: 10)]
        #expect(self.answer("season", [taken]).validUntil == Self.at(12))
        #expect(self.answer("season", passes).validUntil == Self.at(40))
        #expect(self.answer("season", at: 39, passes).entitled)
        #expect(!self.answer("season", at: 40, passes).entitled)
        // Asked later of the same, and of what is prepared then.
        for day in Int64(5)..<70 {
            let later = passes.map { stream in
                var stream = stream
                stream.phases =
                    stream.phases.last { $0.from <= Self.at(day) }.map { phase in
                        var phase = phase
                        phase.from = Self.at(day)
                        return [phase] + stream.phases.filter { Self.at(day) < $0.from }
                    } ?? []
                return stream
            }
            #expect(self.answer("season", at: day, later) == self.answer("season", at: day, passes))
        }
    }

    /// Adding what does not entitle never takes an entitlement away.
    @Test(arguments: 1...300)
    func `what does not entitle takes nothing away, and order does not matter`(_ seed: Int) {
        var random = Random(seed: UInt64(seed))
        func any(_ id: Int, entitling: Bool?) -> HeldStream {
            let product = ["basic", "pro", "pass", "elsewhere"].randomElement(using: &random)!
            let states: [LifecycleState] =
                switch entitling {
                case true?: [.subscribed, .grace]
                case false?: [.retry, .expired, .revoked]
                case nil: [.subscribed, .grace, .retry, .expired, .revoked]
                }
            return Self.stream(
                "\(id)", (0, states.randomElement(using: &random)!, product),
                (Int64.random(in: 6...90, using: &random), .expired, product),
                ownership: random.chance(1, in: 3) ? "FAMILY_SHARED" : "PURCHASED",
                environment: random.chance(1, in: 4) ? .sandbox : .production,
                purchased: Int64.random(in: -50...5, using: &random))
        }
        let streams = (0..<6).map { any($0, entitling: nil) }
        for name in ["basic", "pro", "season", nil] {
            let answer = self.answer(name, streams)
            #expect(self.answer(name, streams.shuffled(using: &random)) == answer)
            let more = self.answer(name, streams + (6..<9).map { any($0, entitling: false) })
            if answer.entitled {
                #expect(more.entitled && more.validUntil == answer.validUntil && more.by == answer.by)
            }
            if let until = answer.validUntil {
                let later = CustomerHoldings(
                    streams: streams, grants: [], in: .production, catalog: Self.catalog, rules: Self.rules)
                #expect(!later.answer(for: name, at: until).entitled, "nobody is entitled past validUntil")
            }
        }
    }
}
