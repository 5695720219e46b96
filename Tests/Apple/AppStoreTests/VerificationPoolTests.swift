import AppStore
import AppStoreSimulator
import Foundation
import Subscriptions
import Synchronization
import Testing

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { self.state.withLock { $0 } }

    func raise() { self.state.withLock { $0 = true } }
}

@Suite struct VerificationPoolTests {
    @Test func verifiesOnItsOwnThreads() async throws {
        let store = try TestStore.shared.get()
        let apps = try AppDirectory([store.app])
        let reader = TransactionReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        let jws = try store.sign(.transaction)
        let pool = VerificationPool(threads: 2)
        pool.start()
        let keys = try await withThrowingTaskGroup(of: StreamKey.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await pool.run { () async throws(ReadingFailure) in
                        try await reader.read(signedTransaction: jws, now: TestStore.now).0
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        await pool.stop()
        #expect(keys.count == 200)
        #expect(Set(keys).count == 1)
    }

    @Test func passesErrorsOn() async {
        let pool = VerificationPool(threads: 1)
        pool.start()
        let failure = ReadingFailure.clockSkew(signed: TestStore.now)
        await #expect(throws: failure) {
            try await pool.run { () async throws(ReadingFailure) -> Int in throw failure }
        }
        await pool.stop()
    }

    @Test func refusesMoreThanItsLimit() async throws {
        let pool = VerificationPool(threads: 1, limit: 2)
        pool.start()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await pool.run { () async throws(ReadingFailure) in
                        enter.yield()
                        for await _ in opened { break }
                    }
                }
            }
            // given both places are taken
            var entries = entered.makeAsyncIterator()
            for _ in 0..<2 { await entries.next() }
            // then the third is refused at once
            await #expect(throws: ReadingFailure.overloaded) {
                try await pool.run { () async throws(ReadingFailure) in }
            }
            // and a place that becomes free can be taken
            open.finish()
            try await group.waitForAll()
            try await pool.run { () async throws(ReadingFailure) in }
        }
        await pool.stop()
    }

    @Test func takesNothingUnlessRunning() async {
        let pool = VerificationPool(threads: 1)
        await #expect(throws: ReadingFailure.overloaded) { try await pool.run { () async throws(ReadingFailure) in } }
        pool.start()
        await pool.stop()
        await #expect(throws: ReadingFailure.overloaded) { try await pool.run { () async throws(ReadingFailure) in } }
    }

    @Test func stoppingWaitsForWhatIsUnderWay() async throws {
        let pool = VerificationPool(threads: 2)
        pool.start()
        let isDone = Flag()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await pool.run { () async throws(ReadingFailure) in
                    enter.yield()
                    for await _ in opened { break }
                    isDone.raise()
                }
            }
            for await _ in entered { break }
            group.addTask {
                await pool.stop()
                #expect(isDone.isRaised)
            }
            group.addTask { open.finish() }
            try await group.waitForAll()
        }
    }

    @Test func cancellingACallerLosesNothing() async throws {
        let pool = VerificationPool(threads: 1)
        pool.start()
        let isDone = Flag()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await pool.run { () async throws(ReadingFailure) in
                    enter.yield()
                    for await _ in opened { break }
                    isDone.raise()
                }
            }
            for await _ in entered { break }
            group.cancelAll()
            open.finish()
            try await group.waitForAll()
        }
        await pool.stop()
        #expect(isDone.isRaised)
    }

    @Test func isIdleOnlyWhileNothingIsUnderWay() async throws {
        let pool = VerificationPool(threads: 1)
        pool.start()
        #expect(pool.isIdle)
        try await pool.run { () async throws(ReadingFailure) in #expect(!pool.isIdle) }
        #expect(pool.isIdle)
        await pool.stop()
    }

    @Test func `unknown chains have a share of their own, and what is known does not wait for it`() async throws {
        let pool = VerificationPool(threads: 1)
        pool.start()
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            // given more of them than there are places, none of which ends
            for _ in 0..<VerificationPool.unknownLimit + 5 {
                group.addTask {
                    do throws(ReadingFailure) {
                        try await pool.run(.unknown) { () async throws(ReadingFailure) in for await _ in opened {} }
                        return true
                    } catch {
                        #expect(error.class == .retryableVerificationFailure)
                        return false
                    }
                }
            }
            // then the surplus is refused, as what may come again
            for _ in 0..<5 { #expect(try await group.next() == false) }
            // and what is known goes on
            for _ in 0..<100 { try await pool.run(.known) { () async throws(ReadingFailure) in } }
            open.finish()
            for try await isDone in group { #expect(isDone) }
        }
        #expect(pool.isIdle)
        await pool.stop()
    }
}
