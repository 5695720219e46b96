import AppStoreSimulator
import Subscriptions
import Testing

/// What a scenario's text means.
@Suite struct ScenarioReadingTests {
    private func scenario(_ yaml: String) throws -> Scenario { try Scenario(yaml: yaml, named: "life.yaml") }

    @Test(
        arguments: [
            ("buy: pro.monthly", .buy(product: "pro.monthly")),
            ("buy: coins.100", .buy(product: "coins.100")),
            (
                "buy: { product: pro.monthly, offer: winback.half }",
                .buy(product: "pro.monthly", offer: "winback.half")
            ),
            ("cancel", .cancel), ("resume", .resume), ("change: pro.yearly", .change(to: "pro.yearly")),
            ("keep", .keep), ("redeem: stay.month", .redeem(offer: "stay.month")),
            (
                "redeem: { offer: code.quarter, product: basic.monthly }",
                .redeem(offer: "code.quarter", product: "basic.monthly")
            ),
            ("fail", .fail), ("pay", .pay), ("consent", .consent), ("refund", .refund(Act.Refund())),
            ("refund: previous", .refund(Act.Refund(.previous))),
            (
                "refund: { period: coming, granted: false, percentage: 12.5 }",
                .refund(Act.Refund(.coming, isGranted: false, percentage: 12_500))
            ),
            ("reverseRefund", .reverseRefund), ("share: 5", .share(members: 5)), ("unshare", .unshare),
            ("raisePrice: { to: 11.99, consent: true }", .raisePrice(to: 11_990, needsConsent: true)),
            ("raisePrice: { to: 12, consent: false }", .raisePrice(to: 12_000, needsConsent: false)),
            ("extend: 7d", .extend(by: .days(7))),
            ("extendEverybody: 36h", .extendEverybody(by: .hours(36), fails: false)),
            ("extendEverybody: { by: 90d, fails: true }", .extendEverybody(by: .days(90), fails: true)),
            ("withdraw", .withdraw), ("changeMetadata", .changeMetadata), ("migrate", .migrate),
            ("changePrice: 0.995", .changePrice(to: 995)), ("lapse", .lapse),
            ("externalToken", .externalToken(isReported: true)),
            ("externalToken: { reported: false }", .externalToken(isReported: false)),
            ("rescindConsent", .rescindConsent), ("post", .tellBackend(.post())),
            ("post: { as: anonymous-7 }", .tellBackend(.post(as: "anonymous-7"))),
            ("post: { as: u-2, restore: true }", .tellBackend(.post(as: "u-2", restores: true))),
            ("register: anonymous-7", .tellBackend(.register(from: "anonymous-7"))),
            ("payOnWeb: pro", .tellBackend(.payOnWeb(entitlement: "pro"))), ("leaveWeb", .tellBackend(.leaveWeb)),
            ("cancel:", .cancel), ("\"cancel\"", .cancel),
        ] as [(String, Act)])
    func anActIs(_ text: String, _ act: Act) throws {
        let scenario = try self.scenario("people: [{ name: Ben, life: [{ after: 1d }, \(Self.flow(text))] }]")

        #expect(scenario.people[0].steps == [.wait(.time(.days(1))), .act(act)])
    }

    /// `cancel` stands in a list as it is, `share: 2` in braces.
    private static func flow(_ text: String) -> String { text.contains(":") ? "{ \(text) }" : text }

    @Test(
        arguments: [
            ("30d", .time(.days(30))), ("90m", .time(.minutes(90))), ("1s", .time(.seconds(1))),
            ("P1M", .calendar(.months(1))), ("P2W", .calendar(.weeks(2))), ("P10Y", .calendar(.years(10))),
            ("P3D", .calendar(.days(3))), ("1 renewal", .renewals(1)), ("12 renewals", .renewals(12)),
        ] as [(String, ScriptedLife.Pause)])
    func aPauseIs(_ text: String, _ pause: ScriptedLife.Pause) throws {
        let scenario = try self.scenario("people: [{ name: Ben, life: [cancel, { after: \(text) }] }]")

        #expect(scenario.people[0].steps == [.act(.cancel), .wait(pause)])
    }

    @Test func aPersonHasAStoryAndATimeToArrive() throws {
        let scenario = try self.scenario(
            """
            people:
              - name: Ben
                story: his card fails, and he pays
                arrives: 14d
                life:
                  - buy: pro.monthly
                  - after: P1M
                  - fail
                repeats: true
              - { name: Eve, life: [buy: coins.100] }
            """)

        #expect(
            scenario.people == [
                ScriptedLife(
                    name: "Ben", story: "his card fails, and he pays", arrivesAfter: .days(14), repeats: true,
                    [.act(.buy(product: "pro.monthly")), .wait(.calendar(.months(1))), .act(.fail)]),
                ScriptedLife(name: "Eve", [.act(.buy(product: "coins.100"))]),
            ])
    }

    @Test func `a person may have an id, and buy in Sandbox`() throws {
        let scenario = try self.scenario(
            """
            people:
              - { name: Ben, customer: u-1001, life: [buy: pro.monthly] }
              - { name: Eve, sandbox: true, life: [buy: coins.100] }
              - { name: Ida, customer: u-1002, token: 3D1F9A52-6C0E-4B7A-9D43-8E2B5C7F1A60, life: [buy: coins.100] }
            """)

        #expect(scenario.people.map(\.customerID) == ["u-1001", nil, "u-1002"])
        #expect(scenario.people.map(\.token) == [nil, nil, "3d1f9a52-6c0e-4b7a-9d43-8e2b5c7f1a60"])
        #expect(scenario.people.map(\.isInSandbox) == [false, true, false])
        #expect(scenario.namedCustomers.map { $0.customerID(seed: 1) }.first == "u-1001")
        #expect(throws: ScenarioError.self) {
            try self.scenario(
                "people: [{ name: Ben, customer: \(String(repeating: "a", count: 129)), life: [cancel] }]")
        }
        #expect(throws: ScenarioError.self) {
            try self.scenario("people: [{ name: Ben, token: mine, life: [cancel] }]")
        }
    }

    @Test func aProductIsWhatItsKeysSay() throws {
        let scenario = try self.scenario(
            """
            products:
              - { id: a, group: 7, period: P1Y, price: 0.005 }
              - id: b
                type: subscription
                group: "8"
                level: 3
                period: P1M
                price: 10
                familyShareable: true
                commitment: 12
                offers:
                  - { type: introductory, discount: payAsYouGo, period: P1W, periods: 3, price: 1.5 }
                  - { type: promotional, id: p, discount: freeTrial, period: P1M }
                  - { type: offerCode, id: c, discount: payUpFront, period: P6M, price: 1.25 }
                  - { type: winBack, id: w, discount: freeTrial, period: P3D, price: 0 }
              - { id: c, type: consumable, price: 0.99 }
              - { id: d, type: nonConsumable, price: 0 }
              - { id: e, type: nonRenewing, price: 1 }
            """)

        let offers = [
            Offer(
                kind: .introductory, identifier: nil, discount: .payAsYouGo, period: .weeks(1), periods: 3,
                price: 1_500),
            Offer(kind: .promotional, identifier: "p", discount: .freeTrial, period: .months(1), price: 0),
            Offer(kind: .offerCode, identifier: "c", discount: .payUpFront, period: .months(6), price: 1_250),
            Offer(kind: .winBack, identifier: "w", discount: .freeTrial, period: .days(3), price: 0),
        ]
        #expect(
            scenario.products == [
                Product(
                    id: "a", price: 5, kind: .subscription(SubscriptionPlan(group: "7", level: 1, period: .years(1)))),
                Product(
                    id: "b", price: 10_000,
                    kind: .subscription(
                        SubscriptionPlan(
                            group: "8", level: 3, period: .months(1), offers: offers, commitment: 12,
                            isFamilyShareable: true))),
                Product(id: "c", price: 990, kind: .consumable),
                Product(id: "d", price: 0, kind: .nonConsumable),
                Product(id: "e", price: 1_000, kind: .nonRenewing),
            ])
    }

    @Test(arguments: [
        ("none", GracePolicy(length: .none)), ("3d", GracePolicy(length: .days3)),
        ("16d", GracePolicy(length: .days16)), ("28d", GracePolicy(length: .days28)),
        ("{ length: 3d, includesTrials: true }", GracePolicy(length: .days3, includesTrials: true)),
        ("{ includesTrials: true }", GracePolicy(length: .days16, includesTrials: true)),
        ("", GracePolicy()),
    ])
    func graceIs(_ text: String, _ grace: GracePolicy) throws {
        #expect(try self.scenario("grace: \(text)\nhabits: {}").grace == grace)
    }

    @Test func habitsChangeWhatTheyName() throws {
        let scenario = try self.scenario(
            "habits: { cardFails: 1, period: { cancels: 0.5 }, trial: { upgrades: 0 }, unpaid: { paysSoon: .25 } }")

        var habits = Habits()
        habits.cardFails = 1
        habits.period.cancels = 0.5
        habits.trial.upgrades = 0
        habits.unpaid.paysSoon = 0.25
        #expect(scenario.habits == habits)
    }

    @Test func everyHabitHasAKey() throws {
        let parts: [(String, Any)] = [
            ("trial", Habits().trial), ("period", Habits().period), ("unpaid", Habits().unpaid), ("", Habits()),
        ]
        for (part, value) in parts {
            for name in Mirror(reflecting: value).children.compactMap(\.label)
            where !["trial", "period", "unpaid"].contains(name) {
                let text = "{ \(name): 0.123 }"
                let habits = try self.scenario("habits: \(part.isEmpty ? text : "{ \(part): \(text) }")").habits
                #expect(String(reflecting: habits).contains("\(name): 0.123"))
            }
        }
        #expect(Mirror(reflecting: Habits.Period()).children.count == Habits.Period.all.count)
    }

    @Test func whatIsLeftOutIsAsInTheDefault() throws {
        let scenario = try self.scenario("grace: 3d")

        #expect(scenario.products == Scenario.default.products)
        #expect(scenario.habits == Scenario.default.habits)
        #expect(scenario.people == Scenario.default.people)
    }

    @Test func theDefaultsPeopleLiveOnlyWhereItsProductsAreSold() throws {
        let products = "products: [{ id: a, group: g, period: P1M, price: 1 }]"

        #expect(try self.scenario(products).people.isEmpty)
        #expect(try self.scenario("people: []").people.isEmpty)
        #expect(try self.scenario("people:\nhabits: {}").people == Scenario.default.people)
    }
}
