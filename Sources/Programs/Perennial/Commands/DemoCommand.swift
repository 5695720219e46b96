import AppStore
import AppStoreSimulator
import ArgumentParser
import Foundation
import HTTPAPI
import Logging
import ServiceLifecycle
import Shards
import Subscriptions

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A node and a simulated App Store in one process, to look at.",
        discussion: """
            Customers subscribe, renew, leave, come back and have their money refunded, in fast time: 170 days ago \
            to today and beyond. The App Store signs and posts its notifications over HTTP; the node keeps them in \
            DIR and answers who is entitled. Started again with the same DIR, it goes on where it stopped.

            Beside it the app's own backend posts what devices have bought, says which customer has signed in, and grants \
            what is paid on the web. So the node answers by the app's own ids: ask it with `check --customer`.

            A minute of watching shows two months: customers with names start, renew, fail to pay, pay again, leave \
            or have their money back, each with a line that says what this means for their access; and some \
            hundred others, as numbers by state.

            With --lossy the network is as bad as in the field, or worse: it loses 30 % of the attempts, repeats \
            30 % of what arrives, delays 30 % by up to a day and holds 30 % back behind the next ones. The last \
            line counts how many answers are right \
            all the same, by comparing them with what the simulated store has.

            Example:
              perennial demo
              perennial demo --lossy
              perennial demo --data /tmp/demo --port 9090 --subscribers 5000 --speed 3600
              perennial demo --data /tmp/mine --scenario mine.yaml
            """)

    @Option(help: "The folder for the database and the simulator's keys.")
    var data = ".perennial"
    @Option(help: "TCP port on loopback, 8080 unless set here or in --config; 0 takes a free one.")
    var port: PortNumber?
    @Option(help: "How many customers arrive within the 170 days.")
    var subscribers = 2_000
    @Option(help: "Simulated seconds in a real one: 86400 is a day a second, 1 is real time.")
    var speed = 86_400.0
    @Flag(help: "Loses, repeats, delays and reorders notifications on the way.")
    var lossy = false
    @Option(help: "A YAML file that says what is sold and who does what; `perennial simulate scenario` prints one.")
    var scenario: String?
    @Option(help: "A YAML file with further settings.")
    var config: String?

    /// Twelve days a second: beyond it, notifications are days old when they arrive.
    private static let highestSpeed = 1_000_000.0

    func validate() throws {
        guard self.speed > 0, self.speed <= Self.highestSpeed else {
            throw ValidationError("--speed must be above 0, up to \(Int(Self.highestSpeed))")
        }
        do {
            try self.simulation(keysDirectory: self.data).validate()
        } catch {
            throw ValidationError(error.message.replacing(#/^simulator: /#, with: "--"))
        }
    }

    func run() async throws {
        let scenario = try self.scenario.map { try Scenario.read($0) } ?? .customers
        let folder = try DemoFolder(path: self.data)
        let configuration = try self.configuration(folder, scenario)
        let logger = LogOutput.start(level: configuration.logLevel)
        do {
            if configuration.apps.contains(where: \.isUnsigned) {
                return try await Self.runWithoutSimulator(configuration, logger: logger)
            }
            var simulation = self.simulation(keysDirectory: folder.simulation)
            simulation.scenario = scenario
            let services = try Demo.build(configuration, simulation: simulation, folder: folder, logger: logger)
            try await ServiceGroup.run(services, logger: logger, endsAtSecondSignal: false)
            let end = "Everything is in \(self.data); the same command goes on from there."
            Console.print(end.wrapped(to: Console.width ?? end.count))
        } catch let error as SimulatorError where ![nil, self.subscribers].contains(error.subscribers) {
            let held = error.subscribers.map(String.init) ?? ""
            throw CommandFailure(
                "\(self.data) holds a demo with \(held) subscribers: give --subscribers \(held) or another --data")
        } catch let error as SimulatorError where error.isOtherScenario {
            throw CommandFailure(
                "\(self.data) holds a demo of another scenario: give the same --scenario or another --data")
        } catch {
            throw CommandFailure(starting: error) ?? error
        }
    }

    private func configuration(_ folder: DemoFolder, _ scenario: Scenario) throws -> CheckedConfiguration {
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
        if loaded.values.entitlements.catalog.isEmpty {
            loaded.values.entitlements.catalog = Self.catalog(of: scenario)
        }
        if loaded.exactPlace(of: ["entitlements", "renewalLeeway"]) == nil {
            loaded.values.entitlements.renewalLeeway["Production"] = self.leeway(atLeast: .hours(2))
            loaded.values.entitlements.renewalLeeway["Sandbox"] = self.leeway(atLeast: .minutes(5))
        }
        if self.config == nil { loaded.values.log.level = "warning" }
        return try loaded.check(for: .demo)
    }

    /// The leeway covers the time that news take. Half a real second of it is long in fast time.
    private func leeway(atLeast usual: Milliseconds) -> ConfigurationDuration {
        ConfigurationDuration(max(usual, Milliseconds(rawValue: Int64(self.speed * 500))))
    }

    /// What the products of the simulated app grant: in a scenario of one's own, each product what it is called.
    private static func catalog(of scenario: Scenario) -> [CatalogEntryConfiguration] {
        guard scenario.products == Scenario.default.products else {
            return scenario.products.map { product in
                CatalogEntryConfiguration(entitlement: product.id, products: [product.id], rank: 1)
            }
        }
        let pro = ["pro.monthly", "pro.yearly", "pro.committed"]
        return [
            CatalogEntryConfiguration(entitlement: "pro", products: pro, rank: 2),
            CatalogEntryConfiguration(entitlement: "basic", products: ["basic.monthly"] + pro, rank: 1),
            CatalogEntryConfiguration(entitlement: "news", products: ["news.weekly"], rank: 1),
        ]
    }

    private func simulation(keysDirectory: String) -> SimulatorConfiguration {
        var simulation = SimulatorConfiguration(keysDirectory: keysDirectory)
        simulation.subscribers = self.subscribers
        simulation.speed = self.speed
        simulation.horizon = .none
        if self.lossy { simulation.disturbances = Disturbances(lose: 0.3, repeat: 0.3, delay: 0.3, reorder: 0.3) }
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
