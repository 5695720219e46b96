import Foundation
import Synchronization

extension GuardedNodes {
    /// On a machine that is busy with other things the moment of danger did not come: nothing has been shown.
    struct MissedMoment: Error {}

    /// Lives through what a guard is there for.
    /// - Returns: what the checks find.
    /// - Throws: `MissedMoment`.
    func live(through danger: Guard) async throws -> [Violation] {
        switch danger {
        case .fence: try await self.appendLate()
        case .lease: try await self.askFormerOwner()
        case .deduplication: try await self.repeatNotification()
        case .retake: try await self.loseAnswer()
        case .outcome: try await self.loseAppend()
        case .tokens: try await self.askBehindToken()
        case .threads: try await self.overload()
        }
    }

    /// How an append names itself in PostgreSQL's protocol, after a portal without a name.
    private static let append = [0] + Array("append".utf8) + [0]

    /// An append is held up on the way until another node owns the shard.
    private func appendLate() async throws -> [Violation] {
        let former = try await self.startFirst()
        try await self.deliver(0, former)
        self.cable.snare.set(for: .request, of: Self.append)
        let attempt = Attempt(self.payload(1), at: former)
        async let answer = attempt.status()
        try await self.until { self.cable.snare.isHolding || attempt.isOver }
        former.process.send(SIGSTOP)

        let owner = try await self.startSecond()
        try await self.untilAllAreOwned(by: owner)
        try await self.noteOwners()
        guard self.cable.snare.release() else { throw MissedMoment() }
        try await self.until { !self.cable.snare.isWaiting }
        guard self.cable.snare.isAnswered else { throw MissedMoment() }
        former.process.send(SIGKILL)
        _ = try? await answer
        try await self.deliver(1, owner)
        return try await self.violations(on: owner)
    }

    /// An owner is cut off from the database, so that it does not hear that it owns nothing any more.
    private func askFormerOwner() async throws -> [Violation] {
        let former = try await self.startFirst()
        try await self.deliver(0, former)
        try await self.check(former)
        self.cable.cut()

        let owner = try await self.startSecond()
        try await self.untilAllAreOwned(by: owner)
        try await self.deliver(1, owner)
        guard let known = try await self.view(owner, consistency: "owner") else { throw MissedMoment() }
        let isAnswered = try await self.check(former, after: known)
        guard isAnswered || self.removed == nil else { throw MissedMoment() }
        former.process.send(SIGKILL)
        return try await self.violations(on: owner)
    }

    private func repeatNotification() async throws -> [Violation] {
        let owner = try await self.startFirst()
        try await self.deliver(0, owner)
        try await self.deliver(0, owner)
        return try await self.violations(on: owner)
    }

    /// The database stores a commit, and the connection is lost before it says so.
    private func loseAnswer() async throws -> [Violation] {
        let owner = try await self.startFirst()
        try await self.deliver(0, owner)
        try await self.send(1, to: owner, holding: .answer) {
            guard self.cable.snare.drop() else { throw MissedMoment() }
        }
        try await self.deliver(1, owner)
        try await self.deliver(2, owner)
        return try await self.violations(on: owner)
    }

    /// The connection is lost before the database hears of a commit.
    private func loseAppend() async throws -> [Violation] {
        let owner = try await self.startFirst()
        try await self.deliver(0, owner)
        try await self.send(1, to: owner, holding: .request) {
            guard self.cable.snare.drop() else { throw MissedMoment() }
        }
        // An owner that believes in what the database does not have ends when it next reads its rows.
        return try await self.violations(on: self.startSecond())
    }

    /// Another node shows what the database has, before the owner has heard of its own commit.
    private func askBehindToken() async throws -> [Violation] {
        let owner = try await self.startFirst()
        try await self.deliver(0, owner)
        try await self.check(owner)
        try await self.send(1, to: owner, holding: .answer) {
            let other = try await self.startSecond()
            guard let known = try await self.view(other, consistency: "local") else { throw MissedMoment() }
            // Without the rule it is an answer that shows the fault: a node whose lease has just ended gives none.
            let isAnswered = try await self.check(owner, after: known, withToken: true)
            guard isAnswered || self.removed == nil else { throw MissedMoment() }
            guard self.cable.snare.release() else { throw MissedMoment() }
        }
        return try await self.violations(on: owner)
    }

    /// One of two nodes gets more to verify than it can: for three leases, or without the rule until that costs it its own.
    private func overload() async throws -> [Violation] {
        let (node, other) = try await self.startBoth()
        let before = try await self.ownership()
        let overload = try await Overload(self.payloads(), for: node)
        let takenForDead = try await overload.last(connections: 16) {
            let end = ContinuousClock.now + .seconds(15)
            var takenForDead: [String] = []
            while takenForDead.isEmpty, self.removed == .threads || .now < end {
                try await Task.sleep(for: .milliseconds(250))
                takenForDead = try await self.ownership().takenForDead(since: before)
            }
            return takenForDead
        }
        // That a node lives on shows something only where there was too much for it.
        guard overload.wasHandled || self.removed == .threads else { throw MissedMoment() }
        self.note(takenForDead: takenForDead)
        return try await self.violations(on: other)
    }

    /// The owner is asked in both ways, from the database and from memory, before it has heard of its own commit.
    func askWhileCommitting() async throws -> [Violation] {
        let owner = try await self.startFirst()
        try await self.deliver(0, owner)
        try await self.check(owner)
        try await self.send(1, to: owner, holding: .answer) {
            let known = try await self.view(owner, consistency: "owner")
            try await self.check(owner, after: known)
            guard self.cable.snare.release() else { throw MissedMoment() }
        }
        return try await self.violations(on: owner)
    }

    /// Sends a notification while its append is held up: before the database hears of it, or when it has stored it.
    /// - Parameter body: runs once that is so, and ends it; it throws `MissedMoment` when that was not so.
    private func send(
        _ number: Int, to owner: NodeProcess, holding part: StalledProxy.Part, _ body: () async throws -> Void
    ) async throws {
        let before = try await self.rows()
        self.cable.snare.set(for: part, of: Self.append)
        let attempt = Attempt(self.payload(number), at: owner)
        async let answer = attempt.status()
        switch part {
        case .request: try await self.until { self.cable.snare.isHolding || attempt.isOver }
        case .answer: try await self.untilStored(moreThan: before) { attempt.isOver }
        }
        try await body()
        self.note(try await answer, of: number)
    }

    /// A notification that is sent once. A machine that is busy with other things may have it refused, and the moment of
    /// danger does not come.
    private final class Attempt: Sendable {
        private let payload: [UInt8]
        private let node: NodeProcess
        private let hasEnded = Mutex(false)

        init(_ payload: [UInt8], at node: NodeProcess) {
            self.payload = payload
            self.node = node
        }

        var isOver: Bool { self.hasEnded.withLock(\.self) }

        func status() async throws -> UInt {
            defer { self.hasEnded.withLock { $0 = true } }
            return try await self.node.notify(self.payload)
        }
    }

    private func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
