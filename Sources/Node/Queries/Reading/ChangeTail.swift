import EventLog
import ServiceContract

/// The newest changes of all shards, read and described once for all who follow: what a listener costs must not be what
/// the log costs.
actor ChangeTail {
    /// What came between two looks; never empty.
    struct Step: Sendable {
        let number: Int
        let changes: [ToldChange]
        /// Behind them.
        let places: ChangeReader.Places
    }

    /// Changes that are kept, in whole steps. Whoever is further behind reads by himself until he has caught up.
    private static let capacity = 4_096
    private static let stepLimit = 1_024
    /// After a look that found nothing.
    private static let pause = Duration.milliseconds(50)

    /// So long after the last look, nobody follows any more.
    private let patience: Duration
    private let reader: ChangeReader
    private let describer: ChangeDescriber
    /// Behind the newest step; nil until somebody follows.
    private var places: ChangeReader.Places?
    /// Of the newest step. No number means two places.
    private var number = 0
    /// Without a gap in their numbers.
    private var steps: [Step] = []
    private var lookedAt = ContinuousClock.now
    private var foundNothing = false
    private var look: Task<Void, any Error>?

    init(_ reader: ChangeReader, patience: Duration) {
        self.patience = patience
        self.reader = reader
        self.describer = ChangeDescriber(store: reader.store)
    }

    /// Where those who follow are; nil when nobody does.
    func standing() -> (number: Int, places: ChangeReader.Places)? {
        guard let places, .now - self.lookedAt < self.patience else { return nil }
        return (self.number, places)
    }

    /// Begins at these places, when nobody follows.
    /// - Returns: the number behind which to ask on; nil when somebody follows by now.
    func begin(at places: ChangeReader.Places) -> Int? {
        guard self.standing() == nil else { return nil }
        self.restart(at: places)
        return self.number
    }

    /// The step behind this number; nil when there is nothing new.
    /// - Throws: `TailLost` when it is not kept any more. As `ChangeReader.read`.
    func step(after number: Int) async throws -> Step? {
        if let step = try self.keptStep(after: number) { return step }
        // Of one question for all who ask meanwhile: whoever asked first may leave.
        if let look {
            try await look.value
        } else if !self.foundNothing || .now - self.lookedAt >= Self.pause {
            let look = Task { try await self.lookOn() }
            self.look = look
            defer { self.look = nil }
            try await look.value
        }
        return try self.keptStep(after: number)
    }

    private func keptStep(after number: Int) throws(TailLost) -> Step? {
        guard number != self.number else { return nil }
        guard let first = self.steps.first?.number, first <= number + 1, number < self.number else { throw TailLost() }
        return self.steps[number + 1 - first]
    }

    private func lookOn() async throws {
        guard var places = self.places else { return }
        let number = self.number
        let changes: [ChangeView]
        do {
            changes = try await self.describer.describe(
                self.reader.read(from: &places, limit: Self.stepLimit))
        } catch {
            // Nobody knows what of it holds: whoever goes on finds out for himself.
            if ServiceError(error).code == .storeRewound { self.restart(at: nil) }
            throw error
        }
        guard number == self.number else { return }
        self.lookedAt = .now
        self.foundNothing = changes.isEmpty
        guard !changes.isEmpty else { return }
        self.number += 1
        self.places = places
        self.steps.append(Step(number: self.number, changes: changes.map(ToldChange.init), places: places))
        var kept = self.steps.reduce(0) { $0 + $1.changes.count }
        while kept > Self.capacity { kept -= self.steps.removeFirst().changes.count }
    }

    private func restart(at places: ChangeReader.Places?) {
        self.number += 2
        self.steps = []
        self.places = places
        self.lookedAt = .now
        self.foundNothing = false
    }
}

/// The tail has nothing for somebody who stands there.
struct TailLost: Error {}
