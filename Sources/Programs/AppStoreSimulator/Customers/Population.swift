import Subscriptions

/// All customers, and whose turn it is: a discrete-event simulation. What comes out depends on the scenario, the seed and
/// the start alone, not on how often or how fast it is asked.
struct Population: Sendable {
    private enum Turn {
        case arrival(index: Int)
        case customer(index: Int)
        case massExtension
        case test
    }

    let scenario: Scenario
    private let rules: StoreRules
    private let seed: UInt64
    private let size: Int
    /// The simulated past in which the crowd arrives.
    private let past: Milliseconds
    private var agenda = Agenda<Turn>()
    var customers: [Customer] = []
    private var random: SeededGenerator
    /// Apart from the rest: orders must not change what happens without them.
    var orderRandom: SeededGenerator
    /// By `requestIdentifier`: extensions of everybody that were carried out.
    var extended: Set<String> = []

    /// How often the publisher has everybody's renewal date moved, and by how much.
    private static let extensionInterval = Milliseconds.days(100)
    private static let extensionLength = Milliseconds.days(3)

    /// - Parameters:
    ///   - size: how many arrive within the simulated past; afterwards newcomers come at a tenth of the pace.
    ///   - past: how long that is.
    init(
        size: Int, scenario: Scenario, environment: AppStoreEnvironment, seed: UInt64, start: Moment,
        past: Milliseconds
    ) {
        self.scenario = scenario
        self.rules = StoreRules(products: scenario.products, grace: scenario.grace, environment: environment)
        self.seed = seed
        self.size = size
        self.past = past
        self.random = SeededGenerator(seed: seed, stream: .max)
        self.orderRandom = SeededGenerator(seed: seed, stream: .max - 1)
        self.agenda.enter(.test, due: start)
        self.agenda.enter(.massExtension, due: start + Self.extensionInterval)
        for (index, person) in scenario.people.enumerated() {
            self.admit(Customer(index: index, life: person, rules: self.rules, seed: seed, simulationStart: start))
        }
        let next = self.customers.count
        self.agenda.enter(.arrival(index: next), due: start + self.pause(after: next - 1))
    }

    var nextDue: Moment? { self.agenda.nextDue }
    var count: Int { self.customers.count }

    /// Takes one turn.
    mutating func next() -> Development {
        guard let (moment, turn) = self.agenda.next() else { return Development() }
        var development = self.take(turn, at: moment)
        development.moment = moment
        return development
    }

    private mutating func take(_ turn: Turn, at moment: Moment) -> Development {
        switch turn {
        case .test:
            return Development(notifications: [.test(at: moment, random: &self.random)])
        case .massExtension:
            self.agenda.enter(.massExtension, due: moment + Self.extensionInterval)
            return self.extendEverybody(at: moment)
        case .arrival(let index):
            self.admit(
                Customer(
                    index: index, habits: self.scenario.habits, rules: self.rules, seed: self.seed, arrivesAt: moment))
            self.agenda.enter(.arrival(index: index + 1), due: moment + self.pause(after: index))
            return Development()
        case .customer(let index):
            // An extension in between may have moved what was due.
            guard let due = self.customers[index].nextDue, due <= moment else { return Development() }
            let notifications = self.customers[index].next()
            self.plan(index)
            return Development(
                notifications: notifications, books: self.customers[index].books,
                news: self.customers[index].takeNews())
        }
    }

    private mutating func admit(_ customer: Customer) {
        self.customers.append(customer)
        self.plan(self.customers.count - 1)
    }

    /// Has to follow whatever may have moved what is due for a customer.
    mutating func plan(_ index: Int) {
        guard let due = self.customers[index].nextDue else { return }
        self.agenda.enter(.customer(index: index), due: due)
    }

    /// One product's subscribers get some days more; for one in a hundred it fails.
    private mutating func extendEverybody(at moment: Moment) -> Development {
        guard let product = self.scenario.products.first(where: { $0.plan != nil }) else { return Development() }
        var development = Development()
        var (succeeded, failed): (Int64, Int64) = (0, 0)
        for index in self.customers.indices.dropFirst(self.scenario.people.count)
        where self.customers[index].subscribes(to: product) {
            let fails = self.random.chance(10)
            let told = self.customers[index].extend(product, by: Self.extensionLength, fails: fails, at: moment)
            self.plan(index)
            guard !told.isEmpty else { continue }
            (succeeded, failed) = fails ? (succeeded, failed + 1) : (succeeded + 1, failed)
            development.notifications += told
            development.books += self.customers[index].books
        }
        let summary = StoreNotification.ExtensionSummary(
            requestIdentifier: self.random.uuid(), productID: product.id, storefronts: nil, succeeded: succeeded,
            failed: failed)
        development.notifications.append(.extensionSummary(summary, at: moment, random: &self.random))
        return development
    }

    private func pause(after index: Int) -> Milliseconds {
        let crowd = Int64(max(1, self.size - self.scenario.people.count))
        let pace = self.past.rawValue / crowd
        return Milliseconds(rawValue: index < self.size ? pace : 10 * pace)
    }
}
