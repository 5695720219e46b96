import Synchronization

/// What one listener holds of request bodies beyond their first few kilobytes: for small ones there is always room.
final class LargeBodies: Sendable {
    private let budget: Mutex<LargeBodyBudget>
    private let places = Mutex<[LargeBodyBudget.ID: @Sendable () -> Void]>([:])

    init(limit: Int) { self.budget = Mutex(LargeBodyBudget(limit: limit)) }

    /// - Parameter onLeave: called on any thread, once at most, when the body has to make room for others.
    func begin(onLeave: @escaping @Sendable () -> Void) -> LargeBodyBudget.ID {
        let id = self.budget.withLock { $0.begin(at: .now) }
        self.places.withLock { $0[id] = onLeave }
        return id
    }

    /// Where there is no room, the body that comes slowest is asked to leave.
    /// - Returns: false when that is this one, or all came a moment ago.
    func take(_ bytes: Int, for id: LargeBodyBudget.ID) -> Bool {
        let (isTaken, leaving) = self.budget.withLock { $0.take(bytes, for: id, at: .now) }
        for id in leaving { self.places.withLock { $0.removeValue(forKey: id) }?() }
        return isTaken
    }

    /// It has come as a whole, and is used.
    func complete(_ id: LargeBodyBudget.ID) { self.budget.withLock { $0.complete(id) } }

    func end(_ id: LargeBodyBudget.ID) {
        self.budget.withLock { $0.end(id) }
        self.places.withLock { $0[id] = nil }
    }
}

/// Who may hold how much, and who has to go. Pure.
package struct LargeBodyBudget {
    package typealias ID = UInt64

    private struct Body {
        let began: ContinuousClock.Instant
        var bytes = 0
        var isComplete = false

        func rate(at now: ContinuousClock.Instant) -> Double { Double(self.bytes) / ((now - self.began) / .seconds(1)) }
    }

    /// Before that nobody can tell how fast a body comes.
    private static let patience = Duration.seconds(1)

    private let limit: Int
    package private(set) var taken = 0
    private var bodies: [ID: Body] = [:]
    private var nextID: ID = 0

    package init(limit: Int) { self.limit = limit }

    package mutating func begin(at now: ContinuousClock.Instant) -> ID {
        defer { self.nextID += 1 }
        self.bodies[self.nextID] = Body(began: now)
        return self.nextID
    }

    /// - Returns: whether there is room, and who leaves for it; their bytes are given back already.
    package mutating func take(
        _ bytes: Int, for id: ID, at now: ContinuousClock.Instant
    ) -> (isTaken: Bool, leaving: [ID]) {
        guard self.bodies[id] != nil else { return (false, []) }
        var leaving: [ID] = []
        while self.taken + bytes > self.limit {
            let slowest = self.bodies.lazy
                .filter { !$0.value.isComplete && now - $0.value.began >= Self.patience }
                .min { $0.value.rate(at: now) < $1.value.rate(at: now) }
            guard let slowest, slowest.key != id else { return (false, leaving) }
            self.end(slowest.key)
            leaving.append(slowest.key)
        }
        self.taken += bytes
        self.bodies[id]?.bytes += bytes
        return (true, leaving)
    }

    package mutating func complete(_ id: ID) { self.bodies[id]?.isComplete = true }

    /// Also of one that has left.
    package mutating func end(_ id: ID) {
        guard let body = self.bodies.removeValue(forKey: id) else { return }
        self.taken -= body.bytes
    }
}
