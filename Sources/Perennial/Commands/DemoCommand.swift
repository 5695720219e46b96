import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation
import HTTPAPI
import Logging
import ServiceLifecycle
import SubscriptionRuntime
import Subscriptions

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A node and a simulated App Store in one process, to look at.",
        discussion: """
            Customers subscribe, renew, leave, come back and have their money refunded, in fast time: 170 days ago \
            to today and beyond. The App Store signs and posts its notifications over HTTP; the node keeps them in \
            DIR and answers who is entitled. Started again with the same DIR, it goes on where it stopped.

            Example:
              perennial demo
              perennial demo --data /tmp/demo --port 9090 --subscribers 5000 --speed 3600
            """)

    @Option(help: "The folder for the database and the simulator's keys.")
    var data = ".perennial"
    @Option(help: "TCP port on loopback, 8080 unless set here or in --config; 0 takes a free one.")
    var port: PortNumber?
    @Option(help: "How many customers arrive within the 170 days.")
    var subscribers = 2_000
    @Option(help: "Simulated seconds in a real one.")
    var speed = 20_000.0
    @Option(help: "A YAML file with further settings.")
    var config: String?

    func validate() throws {
        do {
            try self.simulation(keysDirectory: self.data).validate()
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() async throws {
        let folder = try DemoFolder(path: self.data)
        let configuration = try self.configuration(folder)
        let logger = LogOutput.start(level: configuration.logLevel)
        do {
            if configuration.apps.contains(where: \.isUnsigned) {
                return try await Self.runWithoutSimulator(configuration, logger: logger)
            }
            let demo = try Demo.build(
                configuration, simulation: self.simulation(keysDirectory: folder.simulation), folder: folder,
                logger: logger)
            try await ServiceGroup.run(demo.services, logger: logger)
            let statistics = demo.simulator.statistics
            Console.print("")
            Console.print(
                "Stopped at \(statistics.now.rfc3339): \(statistics.delivered) notifications received, "
                    + "\(demo.figures.current.checks) checks answered.")
            Console.print("Everything is in \(self.data); the same command goes on from there.")
        } catch let error as SimulatorError where ![nil, self.subscribers].contains(error.subscribers) {
            let held = error.subscribers.map(String.init) ?? ""
            throw CommandFailure(
                "\(self.data) holds a demo with \(held) subscribers: give --subscribers \(held) or another --data")
        } catch {
            throw CommandFailure(starting: error) ?? error
        }
    }

    private func configuration(_ folder: DemoFolder) throws -> CheckedConfiguration {
        var flags = [
            ConfigurationFlag(name: "--data", path: ["store", "url"], value: "sqlite://\(folder.database)")
        ]
        if let port {
            flags.append(ConfigurationFlag(name: "--port", path: ["http", "port"], value: port.description))
        }
        var loaded = try ServerConfiguration.load(
            file: self.config, environment: ProcessInfo.processInfo.environment, flags: flags)
        guard loaded.values.http.tls == nil else {
            throw loaded.mistake(["http", "tls"], "the demo speaks plain HTTP with itself")
        }
        if loaded.values.entitlements.catalog.isEmpty { loaded.values.entitlements.catalog = Self.catalog }
        if self.config == nil { loaded.values.log.level = "warning" }
        return try loaded.check(for: .demo)
    }

    /// What the products of the simulated app grant.
    private static let catalog = [
        CatalogEntryConfiguration(entitlement: "pro", products: ["pro.monthly", "pro.yearly"], level: 2),
        CatalogEntryConfiguration(
            entitlement: "basic", products: ["basic.monthly", "pro.monthly", "pro.yearly"], level: 1),
        CatalogEntryConfiguration(entitlement: "news", products: ["news.weekly"], level: 1),
    ]

    private func simulation(keysDirectory: String) -> SimulatorConfiguration {
        var simulation = SimulatorConfiguration(keysDirectory: keysDirectory)
        simulation.subscribers = self.subscribers
        simulation.speed = self.speed
        simulation.horizon = .none
        return simulation
    }

    /// Xcode's payloads come from a developer's machine: nothing is simulated then.
    private static func runWithoutSimulator(_ configuration: CheckedConfiguration, logger: Logger) async throws {
        let server = try Server.build(configuration, clock: SystemClock(), logger: logger) { endpoint in
            Console.print("Perennial takes payloads that nobody signed, on \(endpoint.url)")
        }
        try await ServiceGroup.run(server.services, logger: logger)
    }
}
