import Synchronization

/// Lies in wait for one request among all that pass, and holds it back, or the answer to it, and what follows on its
/// connection. Others are not held.
final class StalledProxy: Sendable {
    /// Of an exchange.
    enum Part: Sendable {
        case request, answer
    }

    private enum State {
        case open
        case set(Part, marker: [UInt8])
        case holding(Part, connection: Int)
        case released(connection: Int)
        case answered
        case ended
        case dropped(connection: Int)
    }

    private let state = Mutex(State.open)

    // MARK: Whoever sets it

    /// - Parameter marker: what the request says.
    func set(for part: Part, of marker: [UInt8]) { self.state.withLock { $0 = .set(part, marker: marker) } }

    var isHolding: Bool {
        self.state.withLock { if case .holding = $0 { true } else { false } }
    }

    /// What was held goes on, late.
    /// - Returns: false where nothing is held, or no longer: its connection has ended.
    func release() -> Bool { self.letGo { .released(connection: $0) } }

    /// What was released has been answered.
    var isAnswered: Bool {
        self.state.withLock { if case .answered = $0 { true } else { false } }
    }

    /// Whether something is held, or was released and has no answer yet. Its connection may end first.
    var isWaiting: Bool {
        self.state.withLock { state in
            switch state {
            case .holding, .released: true
            default: false
            }
        }
    }

    /// What was held is lost, and its connection ends.
    /// - Returns: as `release()` does.
    func drop() -> Bool { self.letGo { .dropped(connection: $0) } }

    private func letGo(_ next: (Int) -> State) -> Bool {
        self.state.withLock { state in
            guard case .holding(_, let connection) = state else { return false }
            state = next(connection)
            return true
        }
    }

    // MARK: Whatever passes

    /// A piece of a request that begins with it, or of an answer, has come.
    func meet(_ part: Part, _ bytes: ArraySlice<UInt8>, of connection: Int) {
        self.state.withLock { state in
            switch state {
            case .set(let wanted, let marker):
                if part == .request, bytes.firstRange(of: marker) != nil {
                    state = .holding(wanted, connection: connection)
                }
            case .released(connection: connection): if part == .answer { state = .answered }
            case .open, .holding, .released, .answered, .ended, .dropped: return
            }
        }
    }

    /// Nothing comes from it any more.
    func end(_ connection: Int) {
        self.state.withLock { state in
            switch state {
            case .holding(_, connection: connection), .released(connection: connection): state = .ended
            default: return
            }
        }
    }

    func holds(_ part: Part, of connection: Int) -> Bool {
        self.state.withLock { if case .holding(part, connection: connection) = $0 { true } else { false } }
    }

    func hasDropped(_ connection: Int) -> Bool {
        self.state.withLock { if case .dropped(connection: connection) = $0 { true } else { false } }
    }
}
