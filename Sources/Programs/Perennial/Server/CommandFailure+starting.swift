import AppStore
import AppStoreSimulator
import EventLog
import Foundation
import HTTPAPI
import NIOCore
import ServiceContract
import SubscriptionService
import ZeroMQ

extension CommandFailure {
    /// One line for what keeps a node or a simulation from running; nil for an error of another kind.
    init?(starting error: any Error) {
        switch error {
        case let error as StoreError: self.init(error.message)
        case let error as ServiceError: self.init(error.message)
        case let error as HTTPAPI.ConfigurationError: self.init(Self.line(error.description))
        case let error as AppStoreConfigurationError: self.init(error.message)
        case let error as SimulatorError: self.init(error.message)
        case let error as ZeroMQError: self.init(error.message)
        case let error as IOError: self.init("cannot listen: \(Self.reason(error.errnoCode))")
        default: return nil
        }
    }

    /// A listener that could not be bound describes the system call; people need the reason.
    private static func line(_ description: String) -> String {
        guard let call = description.firstMatch(of: #/: bind\(.*\(errno: (?<number>\d+)\)/#),
            let number = Int32(call.output.number)
        else { return description }
        return description[..<call.range.lowerBound] + ": \(Self.reason(number))"
    }

    private static func reason(_ number: Int32) -> String {
        switch number {
        case EADDRINUSE: "the port is in use by another program; choose another one with --port"
        case EACCES: "this user may not open the port; choose one above 1023 with --port"
        default: String(cString: strerror(number))
        }
    }
}
