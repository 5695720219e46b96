import Synchronization

/// Holds a responder that is made after the server that asks it.
final class LateResponder: Sendable {
    private let held = Mutex<OCSPResponder?>(nil)

    var responder: OCSPResponder? { self.held.withLock { $0 } }

    func set(_ responder: OCSPResponder) { self.held.withLock { $0 = responder } }
}
