import Logging
import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// Runs services until SIGINT or SIGTERM, or until one ends; then shuts them down from the end of the list.
    /// - Parameter endsAtSecondSignal: whether a second signal ends the process at once; else it changes nothing.
    static func run(_ services: [any Service], logger: Logger, endsAtSecondSignal: Bool = true) async throws {
        let signals: [any Service] = endsAtSecondSignal ? [SecondSignal()] : []
        let group = ServiceGroup(
            configuration: .init(
                services: (signals + services).map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: logger))
        try await group.run()
    }
}
