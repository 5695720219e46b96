import Customers
import Entitlements
import PerennialTestSupport
import Subscriptions
import Testing

/// What counts as paying twice, from all that leads to a customer.
@Suite struct DuplicateReviewTests {
    private static let catalog = Catalog([
        .init(entitlement: "basic", products: ["basic", "pro"], rank: 1),
        .init(entitlement: "pro", products: ["pro"], rank: 2),
    ])
    private static let rules = DerivationRules()

    private static func at(_ day: Double) -> Moment { Moment(milliseconds: Int64(day * 86_400_000)) }

    private static func key(_ id: String, _ environment: AppStoreEnvironment = .production) -> StreamKey {
        StreamKey(kind: .subscription, id: id, environment: environment, bundleID: BundleID(rawValue: "app"))
    }

    /// A stream that gives a product from day 0 until `end`.
    private static func stream(
        _ id: String, _ product: String = "pro", until end: Double? = 30, _ payment: Payment? = .renewing,
        ownership: String? = "PURCHASED", in environment: AppStoreEnvironment = .production,
        superseding: String...
    ) -> HeldStream {
        func phase(_ day: Double, _ state: LifecycleState, _ entitled: Bool) -> HeldStream.Phase {
            HeldStream.Phase(
                from: Self.at(day), state: state, entitled: entitled, code: CohortCode(state: 5, offer: 0),
                productID: product, ownership: ownership, payment: payment)
        }
        return HeldStream(
            key: Self.key(id, environment),
            phases: [phase(0, .subscribed, true)] + (end.map { [phase($0, .expired, false)] } ?? []),
            countsInProduction: true, superseded: superseding.map { Self.key($0) })
    }

    private static func grant(
        _ id: String, _ name: String = "pro", from: Double = 0, until: Double? = 30, renews: Bool = true,
        in environment: AppStoreEnvironment = .production
    ) -> Grant {
        Grant(
            id: id, entitlement: name, reason: "", source: "web", from: Self.at(from), until: until.map(Self.at),
            renews: renews, environment: environment)
    }

    private static func review(
        told: [DuplicatePayment] = [], at day: Double = 5, _ streams: [HeldStream], _ grants: [Grant] = []
    ) -> DuplicateReview {
        let holdings = CustomerHoldings(
            streams: streams, grants: grants, in: .production, catalog: Self.catalog, rules: Self.rules)
        return DuplicateReview(told, Self.catalog, at: Self.at(day), holdings)
    }

    private static func line(_ pair: DuplicatePayment) -> String {
        let ids = [pair.first, pair.second].map { side in
            switch side.by {
            case .stream(let key): key.id
            case .grant(let id): id
            }
        }
        return "\(pair.entitlement): \(ids.joined(separator: " + "))"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let streams: [HeldStream]
        var grants: [Grant] = []
        var found: [String] = []
    }

    static let cases = [
        Case(testDescription: "one payment is no duplicate", streams: [stream("1")]),
        Case(testDescription: "two subscriptions", streams: [stream("2"), stream("1")], found: ["basic: 1 + 2"]),
        Case(
            testDescription: "different products that give one name", streams: [stream("1"), stream("2", "basic")],
            found: ["basic: 1 + 2"]),
        Case(
            testDescription: "different products without a name in common",
            streams: [stream("1", "elsewhere"), stream("2")]),
        Case(
            testDescription: "a subscription and a grant that renews", streams: [stream("1")], grants: [grant("web")],
            found: ["pro: 1 + web"]),
        Case(
            testDescription: "two grants that renew", streams: [], grants: [grant("web"), grant("play")],
            found: ["pro: play + web"]),
        Case(
            testDescription: "a grant that does not renew", streams: [stream("1")],
            grants: [grant("support", renews: false)]),
        Case(testDescription: "a grant that has not begun", streams: [stream("1")], grants: [grant("web", from: 6)]),
        Case(
            testDescription: "a free trial, or auto-renew off",
            streams: [stream("1"), stream("2", "pro", until: 30, nil)]),
        Case(
            testDescription: "a lifetime purchase beside a subscription",
            streams: [stream("1"), stream("2", until: nil, .lifetime)], found: ["basic: 1 + 2"]),
        Case(
            testDescription: "two lifetime purchases",
            streams: [stream("1", until: nil, .lifetime), stream("2", until: nil, .lifetime)]),
        Case(
            testDescription: "a lifetime purchase beside a grant that renews",
            streams: [stream("1", until: nil, .lifetime)], grants: [grant("web", until: nil)], found: ["pro: 1 + web"]),
        Case(
            testDescription: "a purchase that ends is none for good",
            streams: [stream("1"), stream("2", until: 20, .lifetime)]),
        Case(
            testDescription: "a family's or an organisation's",
            streams: [stream("1"), stream("2", ownership: "FAMILY_SHARED"), stream("3", ownership: "ASSIGNED")]),
        Case(
            testDescription: "Sandbox, also where it counts in Production",
            streams: [stream("1"), stream("2", in: .sandbox), stream("3", in: .sandbox)],
            grants: [grant("web", in: .sandbox)]),
        Case(
            testDescription: "the one supersedes the other, directly or by way of a third",
            streams: [stream("1"), stream("2", superseding: "1"), stream("3", superseding: "2", "1")]),
        Case(
            testDescription: "two that supersede the same one",
            streams: [stream("2", superseding: "1"), stream("3", superseding: "1")], found: ["basic: 2 + 3"]),
        Case(
            testDescription: "each pair of three",
            streams: [stream("1"), stream("2"), stream("3")],
            found: ["basic: 1 + 2", "basic: 1 + 3", "basic: 2 + 3"]),
        Case(testDescription: "one that ends within a day", streams: [stream("1"), stream("2", until: 6)]),
        Case(
            testDescription: "one that ends in more than a day", streams: [stream("1"), stream("2", until: 6.01)],
            found: ["basic: 1 + 2"]),
        Case(testDescription: "one that has ended", streams: [stream("1"), stream("2", until: 4)]),
    ]

    @Test(arguments: cases) func finds(_ given: Case) {
        let review = Self.review(given.streams, given.grants)
        #expect(review.found.map(Self.line) == given.found)
        #expect(review.closed.isEmpty)
        // Whatever their order.
        #expect(Self.review(given.streams.reversed(), given.grants.reversed()) == review)
        // What was told is not told again, and counts as long as it is found.
        #expect(Self.review(told: review.found, given.streams, given.grants).found.isEmpty)
        #expect(Self.review(told: review.found, given.streams, given.grants).closed.isEmpty)
    }

    @Test func `a pair names its sides, and when it was found`() {
        let pair = Self.review([Self.stream("1")], [Self.grant("web")]).found.first
        #expect(pair?.since == Self.at(5))
        #expect(pair?.first == .init(.stream(Self.key("1")), productID: "pro"))
        #expect(pair?.second == .init(.grant(id: "web")))
    }

    @Test func `the last day of a period closes nothing, and its end does`() {
        let told = Self.review([Self.stream("1"), Self.stream("2", until: 20)]).found
        func closed(at day: Double, _ streams: HeldStream...) -> [DuplicatePayment] {
            Self.review(told: told, at: day, streams).closed
        }
        #expect(closed(at: 19.9, Self.stream("1"), Self.stream("2", until: 20)).isEmpty)
        #expect(closed(at: 20, Self.stream("1"), Self.stream("2", until: 20)) == told)
        #expect(closed(at: 5, Self.stream("1"), Self.stream("2", until: 20, nil)) == told, "auto-renew off")
        #expect(closed(at: 5, Self.stream("1"), Self.stream("2", until: 20, superseding: "1")) == told)
        #expect(closed(at: 5, Self.stream("1")) == told, "it leads to somebody else")
        #expect(closed(at: 5, Self.stream("1"), Self.stream("2", "elsewhere")) == told)
        #expect(closed(at: 5, Self.stream("1", "basic"), Self.stream("2")).isEmpty, "both give basic")
    }

    @Test func `a pair of which one would end within a day is looked at when it has`() {
        let short = Self.review(at: 29.5, [Self.stream("1"), Self.stream("2", until: 50)])
        #expect(short.found.isEmpty)
        #expect(short.next == Self.at(30))
        // It has been renewed by then.
        let renewed = Self.review(at: 30, [Self.stream("1", until: 60), Self.stream("2", until: 50)])
        #expect(renewed.found.map(Self.line) == ["basic: 1 + 2"])
        #expect(renewed.next == nil)
        // What does not pay is not waited for.
        #expect(Self.review(at: 29.5, [Self.stream("1"), Self.stream("2", until: 50, nil)]).next == nil)
    }

    @Test func `of many pairs as many are open as there may be, and one that closes makes room`() {
        let streams = (1...6).map { Self.stream("\($0)") }
        let first = Self.review(streams)
        #expect(first.found.count == CustomerState.duplicateLimit)
        #expect(Self.review(told: first.found, streams).found.isEmpty)
        let left = Array(streams.dropFirst())
        let next = Self.review(told: first.found, left)
        #expect(next.closed.count == 5)
        #expect(next.found.count == 5)
        #expect(!next.found.contains { Self.line($0).contains("1 +") })
    }

    /// The rule once more, pair by pair, as it is written down.
    private static func expected(_ streams: [HeldStream], _ grants: [Grant], at day: Double) -> Set<String> {
        struct One {
            let id: String
            let names: Set<String>
            let end: Double?
            let isLifetime: Bool
            let superseded: [String]
        }
        func paid(_ stream: HeldStream) -> One? {
            let first = stream.phases[0]
            let end = stream.phases.count > 1 ? Double(stream.phases[1].from.milliseconds) / 86_400_000 : nil
            guard stream.key.environment == .production, first.ownership == "PURCHASED", let payment = first.payment,
                end.map({ day + 1 < $0 }) ?? true, payment == .renewing || end == nil
            else { return nil }
            let names: Set<String> = first.productID == "pro" ? ["basic", "pro"] : ["basic"]
            return One(
                id: stream.key.id, names: names, end: end, isLifetime: payment == .lifetime,
                superseded: stream.superseded.map(\.id))
        }
        func paid(_ grant: Grant) -> One? {
            let end = grant.until.map { Double($0.milliseconds) / 86_400_000 }
            guard grant.renews, grant.environment == .production, grant.from <= Self.at(day),
                end.map({ day + 1 < $0 }) ?? true
            else { return nil }
            return One(id: grant.id, names: [grant.entitlement], end: end, isLifetime: false, superseded: [])
        }
        let all = streams.compactMap(paid) + grants.compactMap(paid)
        var pairs: Set<String> = []
        for (place, one) in all.enumerated() {
            for other in all[(place + 1)...] {
                guard !(one.isLifetime && other.isLifetime), one.id != other.id,
                    !one.superseded.contains(other.id), !other.superseded.contains(one.id),
                    let name = ["basic", "pro"].first(where: { one.names.contains($0) && other.names.contains($0) })
                else { continue }
                pairs.insert("\(name): \(min(one.id, other.id)) + \(max(one.id, other.id))")
            }
        }
        return pairs
    }

    private static func holdings(_ random: inout SeededGenerator) -> ([HeldStream], [Grant]) {
        func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
        let streams = (0..<Int.random(in: 0...4, using: &random)).map { number in
            let payment = pick([Payment.renewing, .renewing, .lifetime, nil])
            var stream = Self.stream(
                "\(number)", pick(["pro", "basic"]),
                until: payment == .lifetime ? pick([nil, 30]) : pick([5, 6, 30, 60]),
                payment, ownership: pick(["PURCHASED", "PURCHASED", "FAMILY_SHARED"]),
                in: pick([.production, .production, .sandbox]))
            if number > 0, pick([true, false, false]) { stream.superseded = [Self.key("\(number - 1)")] }
            return stream
        }
        let grants = (0..<Int.random(in: 0...2, using: &random)).map { number in
            Self.grant(
                "web\(number)", pick(["pro", "basic"]), from: pick([0, 7]), until: pick([nil, 5.5, 40]),
                renews: pick([true, true, false]))
        }
        return (streams, grants)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `what is found is what the rule says, and nothing is told twice`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (streams, grants) = Self.holdings(&random)
            let review = Self.review(streams, grants)
            let expected = Self.expected(streams, grants, at: 5)
            let found = review.found.map(Self.line)
            if expected.count <= CustomerState.duplicateLimit {
                #expect(Set(found) == expected, "\(streams) \(grants)")
            } else {
                #expect(found.count == CustomerState.duplicateLimit && expected.isSuperset(of: found))
            }
            #expect(found.count == Set(found).count)
            // Told or not, in whatever order it all is.
            let shuffled = Self.review(streams.shuffled(using: &random), grants.shuffled(using: &random))
            #expect(shuffled == review)
        }
    }

    /// A customer's own stream over time: each change of what it has, and each moment that a review asks for, is reviewed.
    @Test(arguments: 0..<200 as Range<UInt64>) func `a pair is told once while it is open, and closed once`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var state = CustomerState()
        var open: Set<String> = []
        func tell(at day: Double, _ streams: [HeldStream], _ grants: [Grant]) {
            let review = Self.review(told: state.duplicatePayments, at: day, streams, grants)
            for pair in review.closed {
                #expect(open.remove(Self.line(pair)) != nil)
                state.apply(CustomerRecord(nil, .duplicatePaymentClosed(pair)), at: Self.at(day))
            }
            for pair in review.found {
                #expect(open.insert(Self.line(pair)).inserted)
                state.apply(CustomerRecord(nil, .duplicatePayment(pair)), at: Self.at(day))
            }
            #expect(Set(state.duplicatePayments.map(Self.line)) == open)
            #expect(open.count <= CustomerState.duplicateLimit)
            // Nothing is left to tell.
            let again = Self.review(told: state.duplicatePayments, at: day, streams, grants)
            #expect(again.found.isEmpty && again.closed.isEmpty)
        }
        for day in 0..<60 {
            let (streams, grants) = Self.holdings(&random)
            tell(at: Double(day), streams, grants)
        }
        tell(at: 60, [], [])
        #expect(open.isEmpty)
    }
}
