import AppStoreSimulator
import ArgumentParser
import Foundation
import HTTPAPI
import Logging
import Shards

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs a node.",
        discussion: """
            SIGTERM and SIGINT (Ctrl-C) stop it: what was accepted is finished first. A second one ends it at once.
            A node of a cluster that the others have taken for dead comes back by itself, in the same process. A database that
            it has reached before is waited for.

            Example:
              perennial serve --config /etc/perennial/perennial.yaml
            """)

    @Option(help: "The YAML file.")
    var config: String
    @Option(help: "TCP port, instead of http.port; 0 takes a free one.")
    var port: PortNumber?
    @Option(help: "For trying things out: the --keys directory of a running `perennial simulate`, for its clock.")
    var simulation: String?

    func run() async throws {
        let flags = self.port.map { ConfigurationFlag(name: "--port", path: ["http", "port"], value: $0.description) }
        let configuration = try ServerConfiguration.load(
            file: self.config, environment: ProcessInfo.processInfo.environment, flags: flags.map { [$0] } ?? []
        ).check(for: .serve)
        let logger = LogOutput.start(level: configuration.logLevel)
        do {
            let clock = try self.clock(logger)
            try await Server.run(.present, logger: logger) {
                try Server.build(configuration, clock: clock, logger: logger) { endpoint in
                    logger.notice("Listening", metadata: ["http.url": "\(endpoint.url)"])
                }
            }
            logger.notice("Stopped")
        } catch {
            throw CommandFailure(starting: error) ?? error
        }
    }

    private func clock(_ logger: Logger) throws -> any WallClock {
        guard let simulation else { return SystemClock() }
        logger.warning("The clock is that of a simulation")
        return SimulatorClock(time: try KeysDirectory.clock(in: simulation))
    }
}
