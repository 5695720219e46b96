import Synchronization

/// The connections of one listener, so that those that ask for nothing make room for new ones: whoever opens thousands and
/// leaves them must not keep the others out.
final class ConnectionRoster: Sendable {
    /// Of the places, how many are made free at a time, so that they need not be looked through for each connection.
    private static let share = 64

    private let limit: Int
    private let places = Mutex<[ObjectIdentifier: ConnectionPlace]>([:])

    init(limit: Int) { self.limit = limit }

    var count: Int { self.places.withLock { $0.count } }

    /// Takes a connection in; where all places are taken, others are asked to leave.
    /// - Returns: false when none can be.
    func open(_ place: ConnectionPlace) -> Bool {
        let leaving = self.places.withLock { places -> [ConnectionPlace]? in
            var leaving: [ConnectionPlace] = []
            if places.count >= self.limit {
                leaving = Self.leaving(places.values, count: max(1, self.limit / Self.share))
                guard !leaving.isEmpty else { return nil }
                for place in leaving { places[ObjectIdentifier(place)] = nil }
            }
            places[ObjectIdentifier(place)] = place
            return leaving
        }
        guard let leaving else { return false }
        for place in leaving { place.leave() }
        return true
    }

    /// Also of one that was asked to leave and has something to do by now: it stays.
    func add(_ place: ConnectionPlace) { self.places.withLock { $0[ObjectIdentifier(place)] = place } }

    func close(_ place: ConnectionPlace) { self.places.withLock { $0[ObjectIdentifier(place)] = nil } }

    private static func leaving(_ places: some Collection<ConnectionPlace>, count: Int) -> [ConnectionPlace] {
        let now = ContinuousClock.now
        let waiting = places.compactMap { place in
            let wait = place.wait
            return wait.mayLeave(at: now) ? (place: place, wait: wait) : nil
        }
        return waiting.sorted { $0.wait < $1.wait }.prefix(count).map(\.place)
    }
}

/// Where one connection stands in its listener's roster.
final class ConnectionPlace: Sendable {
    private let state = Mutex(ConnectionWait.none)
    /// Asks the connection to leave; on any thread.
    let leave: @Sendable () -> Void

    init(onLeave leave: @escaping @Sendable () -> Void) { self.leave = leave }

    /// What it waits for; set by its connection.
    var wait: ConnectionWait {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}

/// What a connection waits for its client to do, and since when. What is less goes first.
enum ConnectionWait: Comparable {
    /// Nothing was asked yet: the client is still sending its first head, or not even that.
    case firstHead(since: ContinuousClock.Instant)
    /// For a refusal that is held back.
    case refusal(since: ContinuousClock.Instant)
    /// Everything that was asked is answered.
    case nextRequest(since: ContinuousClock.Instant)
    /// The rest of a request.
    case body(since: ContinuousClock.Instant)
    /// Nothing: it is we who have to do something.
    case none

    /// Whoever goes on within a second does not leave his connection lying about.
    private static let patience = Duration.seconds(1)

    func mayLeave(at now: ContinuousClock.Instant) -> Bool {
        switch self {
        case .firstHead, .refusal: true
        case .nextRequest(let since), .body(let since): now - since >= Self.patience
        case .none: false
        }
    }
}
