import Dispatch
import EventLog
import Synchronization

/// Sessions for those who may block: each is one thread's at a time, and who finds none waits.
final class SessionPool: Sendable {
    private final class Slot: Sendable {
        let session: Mutex<Session>

        init(_ session: consuming sending Session) { self.session = Mutex(session) }
    }

    private let slots: [Slot]
    private let free: Mutex<[Int]>
    private let available: DispatchSemaphore

    init(count: Int, _ makeSession: () -> sending Session) {
        self.slots = (0..<count).map { _ in Slot(makeSession()) }
        self.free = Mutex(Array(0..<count))
        self.available = DispatchSemaphore(value: 0)
        for _ in 0..<count { self.available.signal() }
    }

    /// The session is connected when `body` begins.
    func use<Result: Sendable>(
        _ body: (inout Session) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        self.available.wait()
        // The one used last: its session is the least likely to have been closed for being idle.
        guard let place = self.free.withLock({ $0.popLast() }) else {
            preconditionFailure("the semaphore counts the free sessions")
        }
        defer {
            self.free.withLock { $0.append(place) }
            self.available.signal()
        }
        return try self.slots[place].session.withLock { session throws(StoreError) in
            try session.connect()
            return try body(&session)
        }
    }

    /// Makes all sessions.
    func connect() throws(StoreError) {
        for slot in self.slots { try slot.session.withLock { session throws(StoreError) in try session.connect() } }
    }

    func close() {
        for slot in self.slots { slot.session.withLock { $0.close() } }
    }
}
