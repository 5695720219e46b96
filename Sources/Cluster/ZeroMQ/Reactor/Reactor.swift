import Foundation
import Synchronization
import Waiting

/// What a reactor drives: it owns sockets, and is made, called and let go of on the reactor's thread alone.
package protocol ReactorProgram: ~Copyable {
    /// Names the sockets to wait for.
    /// - Returns: when to go on at the latest; nil for not before something happens.
    mutating func prepare(_ poller: inout Poller) -> ContinuousClock.Instant?

    /// Something happened, or the time has come: receives and sends without blocking.
    /// - Returns: false to end.
    mutating func turn(_ poller: borrowing Poller) throws(ZeroMQError) -> Bool
}

/// One thread for sockets. It sleeps until a socket is ready, somebody rings, or a deadline has come; it never looks
/// around in between.
package struct Reactor: Sendable {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    /// Rings it from any thread.
    package let wakeUp: EventFDWaker
    private let turns = Count()

    package init() throws(ZeroMQError) { self.wakeUp = try EventFDWaker() }

    /// How often it has woken up: while there is nothing to do it does not.
    package var turnCount: Int { self.turns.value.load(ordering: .relaxed) }

    /// Returns when the program has ended, and with it its sockets.
    /// - Throws: what `make` or a turn threw.
    package func run<Program: ReactorProgram & ~Copyable>(
        _ make: @escaping @Sendable () throws(ZeroMQError) -> Program
    ) async throws(ZeroMQError) {
        let result: Result<Void, ZeroMQError> = await withCheckedContinuation { continuation in
            DedicatedThread.start(named: "reactor") {
                continuation.resume(returning: Result { () throws(ZeroMQError) in try self.drive(try make()) })
            }
        }
        try result.get()
    }

    private func drive<Program: ReactorProgram & ~Copyable>(_ program: consuming Program) throws(ZeroMQError) {
        var poller = Poller()
        repeat {
            poller.removeAll()
            let deadline = program.prepare(&poller)
            let place = poller.add(self.wakeUp)
            try poller.wait(until: deadline)
            self.turns.value.wrappingAdd(1, ordering: .relaxed)
            if poller.isReadable(place) { self.wakeUp.silence() }
        } while try program.turn(poller)
    }
}
