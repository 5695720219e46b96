import Subscriptions

/// All customers, and whose turn it is: a discrete-event simulation. What comes out depends on the seed and the start
/// alone, not on how often or how fast it is asked.
struct Population: Sendable {
    private enum Turn {
        case arrival(index: Int)
        case customer(index: Int)
        case test
    }

    private let seed: UInt64
    private let start: Moment
    private let size: Int
    private var agenda = Agenda<Turn>()
    private var customers: [Customer] = []
    private var random: SeededGenerator

    /// - Parameter size: how many arrive within the simulated past; afterwards newcomers come at a tenth of the pace.
    init(size: Int, seed: UInt64, start: Moment) {
        self.seed = seed
        self.start = start
        self.size = size
        self.random = SeededGenerator(seed: seed, stream: .max)
        self.agenda.enter(.test, due: start)
        for (index, named) in NamedCustomer.all.enumerated() {
            self.admit(Customer(named, index: index, seed: seed, simulationStart: start))
        }
        let next = self.customers.count
        self.agenda.enter(.arrival(index: next), due: start + self.pause(after: next - 1))
    }

    var nextDue: Moment? { self.agenda.nextDue }
    var count: Int { self.customers.count }

    /// Takes one turn: what the store says because of it, and the truths that it changed.
    mutating func next() -> (notification: StoreNotification?, truths: [Truth]) {
        guard let (moment, turn) = self.agenda.next() else { return (nil, []) }
        switch turn {
        case .test:
            return (.test(at: moment, random: &self.random), [])
        case .arrival(let index):
            self.admit(Customer(index: index, seed: self.seed, arrivesAt: moment))
            self.agenda.enter(.arrival(index: index + 1), due: moment + self.pause(after: index))
            return (nil, [])
        case .customer(let index):
            let notification = self.customers[index].next()
            if let due = self.customers[index].nextDue { self.agenda.enter(.customer(index: index), due: due) }
            return (notification, self.customers[index].truths)
        }
    }

    private mutating func admit(_ customer: Customer) {
        if let due = customer.nextDue { self.agenda.enter(.customer(index: self.customers.count), due: due) }
        self.customers.append(customer)
    }

    private func pause(after index: Int) -> Milliseconds {
        let crowd = Int64(max(1, self.size - NamedCustomer.all.count))
        let pace = SimulatedTime.past.rawValue / crowd
        return Milliseconds(rawValue: index < self.size ? pace : 10 * pace)
    }
}

extension StoreNotification {
    static func test(at moment: Moment, random: inout SeededGenerator) -> StoreNotification {
        StoreNotification(type: "TEST", subtype: nil, uuid: random.uuid(), signedDate: moment, purchase: nil)
    }
}
