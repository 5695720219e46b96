import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct ScenarioDefaultTests {
    private let scenario = Scenario.default

    @Test func itsTextIsTheScenario() throws {
        #expect(try Scenario(yaml: Scenario.defaultText, named: "default") == self.scenario)
    }

    @Test func itsHabitsAndGraceAreThoseOfTheTypes() {
        #expect(self.scenario.habits == Habits())
        #expect(self.scenario.grace == GracePolicy())
    }

    /// A template that misses a key hides it.
    @Test func itsTextWritesEveryHabit() {
        for value in [Habits() as Any, Habits.Period(), Habits.Unpaid()] {
            for name in Mirror(reflecting: value).children.compactMap(\.label) {
                #expect(Scenario.defaultText.contains("\(name):"), "\(name)")
            }
        }
    }

    @Test func itSellsWhatTheDemoSpeaksOf() throws {
        #expect(
            self.scenario.products.map(\.id) == [
                "basic.monthly", "pro.monthly", "pro.yearly", "pro.committed", "news.weekly", "coins.100",
                "themes.forever", "season.pass",
            ])
        #expect(
            self.scenario.products.map(\.price) == [4_990, 9_990, 79_990, 7_990, 1_990, 990, 19_990, 14_990])
        let committed = try #require(self.scenario.product("pro.committed")?.plan)
        #expect(committed.commitment == 12)
        let trial = try #require(self.scenario.product("pro.monthly")?.plan?.introductoryOffer)
        #expect(trial.discount == .freeTrial)
        #expect(trial.period == .weeks(1))
    }

    @Test func itsPeopleAreAnnaBenAndClara() {
        #expect(self.scenario.people.map(\.name) == ["Anna", "Ben", "Clara"])
        #expect(self.scenario.people.map(\.arrivesAfter) == [.seconds(0), .days(2), .days(4)])
        #expect(self.scenario.people.allSatisfy { !$0.story.isEmpty })
    }

    @Test func `the people of the demo live by the default scenario`() {
        let customers = Scenario.customers
        #expect(customers.products == self.scenario.products)
        #expect(customers.habits == self.scenario.habits)
        #expect(customers.grace == self.scenario.grace)
        #expect(
            customers.people.map(\.name) == ["Anna", "Ben", "Clara", "Dora", "Emil", "Fay", "Gus", "App Review"])
        #expect(customers.people.allSatisfy { $0.customerID != nil && !$0.story.isEmpty })
        #expect(customers.people.filter(\.isInSandbox).map(\.name) == ["App Review"])
    }
}
