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

    private let scenario: Scenario
    private let rules: StoreRules
    private let seed: UInt64
    private let size: Int
    /// The simulated past in which the crowd arrives.
    private let past: Milliseconds
    private var agenda = Agenda<Turn>()
    private var customers: [Customer] = []
    private var random: SeededGenerator
    /// Apart from the rest: orders must not change what happens without them.
    private var orderRandom: SeededGenerator
    /// By `requestIdentifier`: extensions of everybody that were carried out.
    private var extended: Set<String> = []

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
            return Development(notifications: notifications, books: self.customers[index].books)
        }
    }

    private mutating func admit(_ customer: Customer) {
        self.customers.append(customer)
        self.plan(self.customers.count - 1)
    }

    private mutating func plan(_ index: Int) {
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

    // MARK: Orders

    /// Carries out what the publisher has asked for: between two turns.
    mutating func carryOut(_ order: StoreOrder, at moment: Moment) -> (Development, StoreOrder.Outcome) {
        var development = Development(moment: moment)
        switch order {
        case .test:
            let test = StoreNotification.test(at: moment, random: &self.orderRandom)
            development.notifications = [test]
            return (development, .testing(uuid: test.uuid, signedDate: moment))
        case .extend(let id, let days):
            guard let index = self.customer(of: id) else {
                return (development, .refused(.originalTransactionIDNotFound))
            }
            switch self.customers[index].extend(id, days: days, at: moment) {
            case .refused(let error): return (development, .refused(error))
            case .done(let told, let transaction):
                self.plan(index)
                (development.notifications, development.books) = (told, self.customers[index].books)
                return (
                    development,
                    .extended(
                        webOrderLineItemID: transaction.webOrderLineItemID,
                        effectiveDate: transaction.expiresDate ?? moment)
                )
            }
        case .extendEverybody(let wanted):
            return (self.extendEverybody(wanted, at: moment), .extending)
        case .setAppAccountToken(let token, let id):
            guard let index = self.customer(of: id) else { return (development, .refused(.transactionIDNotFound)) }
            if let error = self.customers[index].set(appAccountToken: token, of: id) {
                return (development, .refused(error))
            }
            development.books = self.customers[index].books
            return (development, .tokenSet)
        }
    }

    private func customer(of originalTransactionID: String) -> Int? {
        TransactionNumbers.account(ofTransaction: originalTransactionID)
            .map { TransactionNumbers.customer(ofAccount: $0) }
            .flatMap { self.customers.indices.contains($0) ? $0 : nil }
    }

    private mutating func extendEverybody(_ wanted: StoreOrder.MassExtension, at moment: Moment) -> Development {
        var development = Development(moment: moment)
        guard let product = self.scenario.product(wanted.productID),
            self.extended.insert(wanted.requestIdentifier).inserted
        else { return development }
        var (succeeded, failed): (Int64, Int64) = (0, 0)
        for index in self.customers.indices {
            guard
                let (told, isExtended) = self.customers[index].extend(
                    product, days: wanted.days, storefronts: wanted.storefronts, at: moment)
            else { continue }
            self.plan(index)
            (succeeded, failed) = isExtended ? (succeeded + 1, failed) : (succeeded, failed + 1)
            development.notifications += told
            development.books += self.customers[index].books
        }
        let summary = StoreNotification.ExtensionSummary(
            requestIdentifier: wanted.requestIdentifier, productID: wanted.productID, storefronts: wanted.storefronts,
            succeeded: succeeded, failed: failed)
        let told = StoreNotification.extensionSummary(summary, at: moment, random: &self.orderRandom)
        development.notifications.append(told)
        development.massExtension = MassExtensionReport(summary: summary, completeDate: told.signedDate)
        return development
    }

    private func pause(after index: Int) -> Milliseconds {
        let crowd = Int64(max(1, self.size - self.scenario.people.count))
        let pace = self.past.rawValue / crowd
        return Milliseconds(rawValue: index < self.size ? pace : 10 * pace)
    }
}
