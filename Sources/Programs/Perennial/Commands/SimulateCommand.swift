import AppStoreSimulator
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Subscriptions

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "The App Store in a box: customers, signed notifications, its server API, and what is true.",
        discussion: """
            Simulated time starts --history days ago and runs at --speed until it has caught up with the present. The \
            directory --keys gets what a client needs: root.cer, AuthKey.p8 and store.json. A simulation goes on \
            where it stopped when it is started with the same directory.

            Example:
              perennial simulate --keys keys \\
                --deliver-to http://127.0.0.1:8080/v1/apple/notifications
              curl http://127.0.0.1:8090/truth/ID
              curl http://127.0.0.1:8090/truth/customers/CUSTOMER
              perennial simulate --keys keys --scenario mine.yaml
              perennial simulate --keys keys --deliver-to http://127.0.0.1:8080/v1/apple/notifications \\
                --backend http://127.0.0.1:8080
            """,
        subcommands: [CorpusCommand.self, ScenarioCommand.self, LifeCommand.self, CompareCommand.self])

    @Option(help: "The port of the simulator's own API, on loopback; 0 takes a free one.")
    var port = 8090
    @Option(help: "How many days ago simulated time starts.")
    var history: Int64 = 170
    @Option(help: "How many customers arrive within these days.")
    var subscribers = 100
    @Option(help: "Simulated seconds in a real one.")
    var speed = 20_000.0
    @Option(
        help: "Where notifications are posted; none are without it. If given several times, to whichever takes them.")
    var deliverTo: [String] = []
    @Option(
        help: """
            The node for which the publisher's backend is played: it posts purchases, moves customers, grants. If given several \
            times, whichever answers.
            """)
    var backend: [String] = []
    @Option(help: "A file that holds an API token of the scope write, for the nodes of --backend.")
    var backendTokenFile: String?
    @Option(help: "Probability from 0 to 1 that an attempt is lost.")
    var lose = 0.0
    @Option(help: "Probability from 0 to 1 that a delivery is repeated.")
    var `repeat` = 0.0
    @Option(help: "Probability from 0 to 1 that a delivery comes late, by up to a day.")
    var delay = 0.0
    @Option(help: "Probability from 0 to 1 that a delivery waits until the subscription's next one has been sent.")
    var reorder = 0.0
    @Option(help: "How much of Apple's rate limits its API allows, such as 0.1 or 5.")
    var limits = 1.0
    @OptionGroup var store: SimulatedStoreOptions

    func validate() throws {
        guard self.backendTokenFile == nil || !self.backend.isEmpty else {
            throw ValidationError("--backend-token-file is for the nodes of --backend.")
        }
        do {
            try self.configuration(keys: self.store.keys ?? "").validate()
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() async throws {
        // Not in validate(), which is asked for `simulate corpus` as well.
        guard let keys = self.store.keys else { throw ValidationError("Missing expected argument '--keys <keys>'") }
        var configuration = self.configuration(keys: keys)
        configuration.scenario = try Scenario.read(self.store.scenario)
        if let file = self.backendTokenFile, let backend = configuration.backend {
            configuration.backend = .init(urls: backend.urls, token: try NodeOptions.token(in: file))
        }
        let logger = LogOutput.start(level: .notice)
        let customers = configuration.scenario.namedCustomers
        do {
            let simulator = try AppStoreSimulator(configuration, logger: logger) { port in
                Console.print("The simulated App Store answers on http://127.0.0.1:\(port); keys are in \(keys)")
                NamedCustomer.lines(customers).forEach(Console.print)
            }
            try await ServiceGroup.run([simulator, SimulationProgress(simulator: simulator)], logger: logger)
            Console.print(SimulationProgress.line(simulator.statistics))
        } catch {
            throw CommandFailure(starting: error) ?? error
        }
    }

    private func configuration(keys: String) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(keysDirectory: keys)
        configuration.port = self.port
        configuration.subscribers = self.subscribers
        configuration.speed = self.speed
        configuration.seed = self.store.seed
        configuration.deliverTo = self.deliverTo
        configuration.backend = self.backend.isEmpty ? nil : .init(urls: self.backend)
        configuration.past = .days(min(max(self.history, 0), 10_000))
        configuration.disturbances = Disturbances(
            lose: self.lose, repeat: self.repeat, delay: self.delay, reorder: self.reorder)
        configuration.limits = self.limits
        configuration.outages = .livedThroughInRealTime
        configuration.store = self.store.identity
        return configuration
    }
}

/// What a simulated store and a corpus have in common.
struct SimulatedStoreOptions: ParsableArguments {
    @Option(help: "The same seed gives the same customers with the same lives.")
    var seed: UInt64 = 1
    @Option(help: "Production or Sandbox.")
    var environment = SignedEnvironment.production
    @Option(help: "The directory for keys and what clients need.")
    var keys: String?
    @Option(help: "A YAML file that says what is sold and who does what; `simulate scenario` prints one to begin with.")
    var scenario: String?

    var identity: StoreIdentity {
        StoreIdentity(environment: AppStoreEnvironment(rawValue: self.environment.rawValue))
    }
}

/// Where a simulated app is sold.
enum SignedEnvironment: String, ExpressibleByArgument, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
}
