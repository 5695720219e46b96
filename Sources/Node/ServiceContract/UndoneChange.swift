package import EventLog
package import Subscriptions

/// What taking back one event of a customer's history asks for. It counts only as long as nothing has been said of the same since.
package enum UndoneChange: Hashable, Sendable {
    /// That a stream's links be as before.
    case links(of: StreamKey, LinkUndo)
    /// That a customer's grant be as before; that there be none where there was none.
    /// - Parameter of: whose stream has it.
    case grant(of: CustomerID, from: Grant, to: Grant?)
    /// That a customer be itself again who has been moved.
    case move(of: CustomerID, to: CustomerID)
    /// That an identifier lead where it led before.
    /// - Parameter at: the version of its stream.
    case registration(of: StreamKey, Registration, at: StreamVersion)
}
