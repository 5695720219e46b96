import Subscriptions

/// By which ids a publisher knows the people of a simulation. Which ones follows from the seed, and changes no life.
struct CustomerIDs: Sendable {
    private let people: [ScriptedLife]
    private let seed: UInt64

    /// How many in a thousand of those without a token buy before they have an account.
    private static let anonymous: Int64 = 250

    init(people: [ScriptedLife], seed: UInt64) {
        self.people = people
        self.seed = seed
    }

    /// Who buys without a token.
    struct Person: Sendable {
        let id: String
        /// Under which id they post before they have an account, and how long that takes; nil: they have one.
        let before: (id: String, for: Milliseconds)?
    }

    /// - Parameter index: the person's number in the simulation.
    func person(_ index: Int) -> Person {
        guard !self.people.indices.contains(index) else { return Person(id: self.people[index].knownAs, before: nil) }
        var random = self.random(index)
        let isAnonymous = random.chance(Self.anonymous)
        let days = random.within(1...20)
        return Person(id: "u-\(index)", before: isAnonymous ? ("anonymous-\(index)", .days(days)) : nil)
    }

    /// Somebody of the person's family, by their account in the subscription: 1…5.
    func relative(of index: Int, _ account: Int) -> String { "\(self.person(index).id)-family-\(account)" }

    /// How long a device takes to post what was bought.
    func delay(_ index: Int, account: Int) -> Milliseconds {
        var random = self.random(index * 10 + account)
        return .minutes(random.within(1...30))
    }

    /// Tokens that are registered for somebody, when they arrive, by the start of the simulation.
    var registrations: [(token: String, customer: String, arrivesAfter: Milliseconds)] {
        self.people.compactMap { person in
            person.token.map { ($0, person.knownAs, person.arrivesAfter) }
        }
    }

    /// Whether the life of a person says itself what their devices post.
    func writesPosts(_ index: Int) -> Bool {
        self.people.indices.contains(index) && self.people[index].posts
    }

    private func random(_ stream: Int) -> SeededGenerator {
        SeededGenerator(seed: self.seed, stream: UInt64(stream) ^ (0x5AFE << 48))
    }
}

extension ScriptedLife {
    fileprivate var posts: Bool {
        self.steps.contains { if case .act(.tellBackend(.post)) = $0 { true } else { false } }
    }
}
