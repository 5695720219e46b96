import Synchronization

/// Decides what goes wrong with each request.
final class Troublemaker: Sendable {
    struct Trouble: Hashable, Sendable {
        var error: StoreAPIError?
        var delay: Duration?
        var emptiesLists = false
        var cutsBody = false
        var forges = false
    }

    private struct Contents {
        var disturbances = APIDisturbances()
        var random: SeededGenerator
    }

    private let contents: Mutex<Contents>

    init(seed: UInt64) { self.contents = Mutex(Contents(random: SeededGenerator(seed: seed, stream: .max - 2))) }

    var disturbances: APIDisturbances {
        get { self.contents.withLock { $0.disturbances } }
        set { self.contents.withLock { $0.disturbances = newValue } }
    }

    func next() -> Trouble {
        self.contents.withLock { contents in
            let wanted = contents.disturbances
            guard wanted != APIDisturbances() else { return Trouble() }
            var trouble = Trouble()
            if contents.random.chance(of: wanted.accountNotFound) { trouble.error = .accountNotFoundRetryable }
            if contents.random.chance(of: wanted.serverError) { trouble.error = .internalErrorRetryable }
            if contents.random.chance(of: wanted.delay) { trouble.delay = wanted.lateness }
            trouble.emptiesLists = contents.random.chance(of: wanted.emptyList)
            trouble.cutsBody = contents.random.chance(of: wanted.cutBody)
            trouble.forges = contents.random.chance(of: wanted.forgedSignature)
            return trouble
        }
    }
}
