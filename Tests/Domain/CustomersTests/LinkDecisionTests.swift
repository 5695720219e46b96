import Customers
import Subscriptions
import Testing

/// Which links are made: policy, who has the stream, whether it counts, and who asks.
@Suite struct LinkDecisionTests {
    /// Why the stream is somebody else's, if it is.
    enum Holding: String, CaseIterable, Sendable {
        case nobody, linkedToNobody, link, token, appTransaction, predecessor, shared

        var leads: StreamLeads {
            switch self {
            case .nobody: StreamLeads()
            case .linkedToNobody: StreamLeads().linked(to: nil)
            case .link: StreamLeads().linked(to: "other")
            case .token: StreamLeads(token: 1)
            case .appTransaction: StreamLeads(token: nil, appTransaction: "app-1")
            case .predecessor:
                {
                    var leads = StreamLeads()
                    leads.predecessor = Placed(OriginalTransactionID(rawValue: "1"), at: place(1))
                    return leads
                }()
            case .shared: StreamLeads().shared(with: "other")
            }
        }

        /// A backend that says so by itself has to go by the policy.
        var contradictsBackend: Bool { self == .link || self == .token || self == .shared }
        /// A device has to.
        var contradictsDevice: Bool { self.contradictsBackend || self == .appTransaction || self == .predecessor }
    }

    enum Outcome: String, Sendable { case linked, shared, refused }

    struct Case: Sendable, CustomTestStringConvertible {
        var policy: TransferPolicy
        var holding: Holding
        var origin: LinkRequest.Origin
        var isActive: Bool
        var expected: Outcome

        var testDescription: String {
            "\(self.policy), \(self.holding), \(self.origin), \(self.isActive ? "active" : "over"): \(self.expected)"
        }
    }

    /// The rule in words of its own: what contradicts is for the policy, a post without "restore" never moves, and at a launch nobody asks.
    static let cases: [Case] = TransferPolicy.allCases.flatMap { policy in
        Holding.allCases.flatMap { holding in
            LinkRequest.Origin.allCases.flatMap { origin in
                [true, false].map { isActive in
                    let contradicts = origin == .backend ? holding.contradictsBackend : holding.contradictsDevice
                    let isFree = !contradicts && (origin != .launch || holding != .linkedToNobody)
                    let mayMove: Bool =
                        switch (policy, isActive) {
                        case (.keep, _), (.transferIfInactive, true): false
                        case (.transfer, _), (.transferIfInactive, false), (.share, _): true
                        }
                    let expected: Outcome =
                        if !isFree && (origin == .post || origin == .launch || !mayMove) {
                            .refused
                        } else {
                            policy == .share && holding != .linkedToNobody ? .shared : .linked
                        }
                    return Case(
                        policy: policy, holding: holding, origin: origin, isActive: isActive, expected: expected)
                }
            }
        }
    }

    private let rows = Rows(
        appTransactions: [hash(.appTransaction, "app-1"): hashed("other")],
        streams: [
            OriginalTransactionID(rawValue: "1"): LeadImage(StreamLeads().linked(to: "other"), hash: hash)
        ])

    @Test(arguments: cases)
    func `each combination`(_ scenario: Case) {
        let leads = scenario.holding.leads
        let before = leads.resolution(self.rows)
        let request = LinkRequest(customer("u"), origin: scenario.origin, actor: "shop", reason: "because")
        let decision = LinkDecision(
            linking: request, leads.stream(self.rows), isActive: scenario.isActive, policy: scenario.policy)
        var after = leads
        for record in decision.records { after.apply(record) }
        let resolution = after.resolution(self.rows)
        #expect(decision.records.allSatisfy { $0.actor == "shop" && $0.reason == "because" })
        switch scenario.expected {
        case .refused:
            #expect(decision.refusal == .linkedElsewhere)
            let waits = scenario.origin != .launch
            #expect(decision.records.map(\.action) == (waits ? [.conflicted] : []))
            #expect(resolution == before, "a refusal moves nothing")
            #expect(after.conflicts == (waits ? [customer("u")] : []))
        case .linked:
            #expect(decision.refusal == nil)
            #expect(resolution.customers == [hashed("u")])
        case .shared:
            #expect(decision.refusal == nil)
            #expect(resolution.reason(of: hashed("u")) == .link)
            #expect(before.customers.allSatisfy { resolution.reason(of: $0) != nil }, "nobody loses what is shared")
        }
        // Again: nothing changes, and a conflict is recorded once.
        let again = LinkDecision(
            linking: request, after.stream(self.rows), isActive: scenario.isActive, policy: scenario.policy)
        #expect(again.records == [])
        #expect(again.refusal == decision.refusal)
    }

    @Test func `the eleventh sharer is refused, and leaves no conflict`() {
        var leads = StreamLeads()
        for number in 1...11 {
            let decision = LinkDecision(
                linking: LinkRequest(customer("u\(number)"), origin: .backend), leads.stream(), isActive: true,
                policy: .share)
            #expect(decision.refusal == (number <= 10 ? nil : .tooManySharers))
            for record in decision.records { leads.apply(record) }
        }
        #expect(leads.sharers.count == 10)
        #expect(leads.conflicts == [])
    }

    @Test func `a link that moves a shared stream leaves nobody else with it`() {
        let leads = StreamLeads(token: 1).shared(with: "u", "v")
        let decision = LinkDecision(
            linking: LinkRequest(customer("w"), origin: .backend), leads.stream(), isActive: true, policy: .transfer)
        var after = leads
        for record in decision.records { after.apply(record) }
        #expect(after.resolution().customers == [hashed("w")])
    }

    @Test func `unlinking takes back a link, and what the token says then holds`() {
        let leads = StreamLeads(token: 1).linked(to: "u", token: token(1))
        let decision = LinkDecision(unlinking: LinkRequest(customer("u"), origin: .backend), leads.stream())
        #expect(decision.records.map(\.action) == [.unlinked])
    }

    @Test func `where the token would lead there all the same, the stream is linked to nobody`() {
        let own = tokenCustomer(1)
        for leads in [StreamLeads(token: 1), StreamLeads(token: 1).linked(to: own.rawValue, token: token(1))] {
            let request = LinkRequest(own, origin: .backend)
            let decision = LinkDecision(unlinking: request, leads.stream())
            var after = leads
            for record in decision.records { after.apply(record) }
            #expect(after.resolution().isLinkedToNobody)
            #expect(LinkDecision(unlinking: request, after.stream()).records == [], "safe to repeat")
            // Linking over it does not contradict.
            let relink = LinkDecision(
                linking: LinkRequest(customer("v"), origin: .post), after.stream(), isActive: true, policy: .keep)
            #expect(relink.refusal == nil)
        }
    }

    @Test func `who shares a stream keeps it when its holder gives it up`() {
        let leads = StreamLeads(token: 1).shared(with: "u")
        let decision = LinkDecision(unlinking: LinkRequest(tokenCustomer(1), origin: .backend), leads.stream())
        var after = leads
        for record in decision.records { after.apply(record) }
        #expect(after.resolution().customers == [hashed("u")])
        let more = LinkDecision(
            linking: LinkRequest(customer("v"), origin: .backend), after.stream(), isActive: true, policy: .share)
        for record in more.records { after.apply(record) }
        #expect(after.resolution().customers == [hashed("u"), hashed("v")])
    }

    @Test func `a link that is overruled is taken back as well`() {
        var leads = StreamLeads(token: 1).linked(to: "u", token: token(1), at: place(1))
        leads.token = Placed(token(2), at: place(2))
        for record in LinkDecision(unlinking: LinkRequest(customer("u"), origin: .backend), leads.stream()).records {
            leads.apply(record)
        }
        leads.token = Placed(token(1), at: place(3))
        #expect(leads.resolution().reason(of: hashed("u")) == nil)
    }

    @Test func `conflicts beyond those that are kept are refused without another event`() {
        var leads = StreamLeads(token: 1)
        var events = 0
        for round in 1...3 {
            for number in 1...6 {
                let decision = LinkDecision(
                    linking: LinkRequest(customer("u\(number)"), origin: .post), leads.stream(), isActive: true,
                    policy: .keep)
                #expect(decision.refusal == .linkedElsewhere, "round \(round)")
                for record in decision.records { leads.apply(record) }
                events += decision.records.count
            }
        }
        #expect(events == 4)
    }

    @Test func `unlinking somebody who has nothing changes nothing`() {
        let leads = StreamLeads(token: 1).linked(to: "u", token: token(1))
        #expect(LinkDecision(unlinking: LinkRequest(customer("v"), origin: .backend), leads.stream()).records == [])
    }

    @Test func `a conflict is dismissed for its customer alone, and moves nothing`() {
        var leads = StreamLeads()
        for record in [
            LinkRecord(.linked, customer("h")), LinkRecord(.conflicted, customer("v")),
            LinkRecord(.conflicted, customer("w")),
        ] {
            leads.apply(record)
        }
        let before = leads.resolution()
        func dismiss(_ name: String) -> [LinkRecord] {
            let request = LinkRequest(customer(name), origin: .backend, action: .dismiss, actor: "care")
            return LinkDecision(dismissing: request, leads.stream()).records
        }
        #expect(dismiss("h").isEmpty && dismiss("x").isEmpty)
        #expect(dismiss("v") == [LinkRecord(.dismissed, customer("v"), actor: "care")])
        for record in dismiss("v") { leads.apply(record) }
        #expect(leads.conflicts == [customer("w")] && leads.resolution() == before && dismiss("v").isEmpty)
    }

    /// Streams under random requests and payloads: what every state has to keep.
    @Test(arguments: 1...200)
    func `whatever is asked, a stream has one holder, a link that was let in holds, and a refusal moves nothing`(
        _ seed: Int
    ) {
        var random = Random(seed: UInt64(seed))
        let names = ["a", "b", "c", token(1).rawValue, token(2).rawValue]
        var leads = StreamLeads()
        for step in 1...60 {
            if random.chance(1, in: 4) {
                leads.token.raise(
                    to: random.chance(1, in: 6) ? nil : token(Int.random(in: 1...3, using: &random)), step)
                continue
            }
            let policy = TransferPolicy.allCases.randomElement(using: &random)!
            let request = LinkRequest(
                customer(names.randomElement(using: &random)!),
                origin: LinkRequest.Origin.allCases.randomElement(using: &random)!)
            let before = leads.resolution()
            let unlinks = random.chance(1, in: 5)
            let decision =
                unlinks
                ? LinkDecision(unlinking: request, leads.stream())
                : LinkDecision(linking: request, leads.stream(), isActive: random.chance(1, in: 2), policy: policy)
            for record in decision.records { leads.apply(record) }
            let after = leads.resolution()
            let target = hash(.customer, request.customer.rawValue)
            if unlinks {
                #expect(after.reason(of: target) == nil)
            } else if decision.refusal != nil {
                #expect(after == before)
            } else {
                #expect(after.reason(of: target) != nil)
                if policy != .share, before.reason(of: target) == nil { #expect(after.customers == [target]) }
            }
            if policy == .keep, !unlinks, let holder = before.holder?.customer, before.sharers.isEmpty,
                before.holder?.reason != .appTransactionID
            {
                #expect(after.holder?.customer == holder, "keep never takes a stream from its holder")
            }
        }
    }
}

extension Optional where Wrapped == Placed<AccountToken?> {
    fileprivate mutating func raise(to token: AccountToken?, _ step: Int) { self = Placed(token, at: place(step)) }
}

/// SplitMix64.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var word = self.state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func chance(_ part: Int, in whole: Int) -> Bool { Int.random(in: 0..<whole, using: &self) < part }
}
