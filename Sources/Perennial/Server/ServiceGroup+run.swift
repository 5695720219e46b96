import Logging
import ServiceLifecycle
import UnixSignals

extension ServiceGroup {
    /// Runs services until SIGINT or SIGTERM, or until one ends; then shuts them down from the end of the list. A
    /// second signal ends the process at once.
    static func run(_ services: [any Service], logger: Logger) async throws {
        let group = ServiceGroup(
            configuration: .init(
                services: ([SecondSignal()] + services).map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: logger))
        try await group.run()
    }
}
