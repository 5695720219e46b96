import AppStore
import AppStoreSimulator
import Customers
import Entitlements
import Foundation
import HTTPAPI
import Logging
import ServiceLifecycle
import Shards
import SubscriptionService
import Subscriptions
import Webhooks

/// A node and the App Store that feeds it, over HTTP on loopback, on one simulated clock.
enum Demo {
    /// What a demo consists of, each after what it depends on.
    /// - Throws: `CommandFailure`, or what `CommandFailure(starting:)` understands.
    static func build(
        _ configuration: CheckedConfiguration, simulation: SimulatorConfiguration, folder: DemoFolder, logger: Logger
    ) throws -> [any Service] {
        var configuration = configuration
        var simulation = simulation
        // The simulator has to know the address before the node listens there.
        let reservation = configuration.http.main.port == 0 ? try ReservedPort() : nil
        if let reservation { configuration.http.main.port = reservation.number }
        let address = configuration.http.main.urlOnThisMachine
        simulation.deliverTo = ["\(address)/v1/apple/notifications"]
        let token = try Self.token(for: &configuration, folder: folder)
        simulation.backend = .init(urls: [address], token: token?.text)

        // And the node where to ask.
        let simulatorReservation = try ReservedPort()
        simulation.port = simulatorReservation.number
        let simulatorPort = Announcement<Int>()
        let simulator = try AppStoreSimulator(simulation, logger: logger) { port in
            simulatorReservation.release()
            simulatorPort.make(port)
        }
        configuration.apps.removeAll { $0.bundleID.rawValue == simulation.store.bundleID }
        configuration.apps.append(try simulator.app)
        configuration.serverAPI = [try simulator.access]
        configuration.runtime.customers.sandboxByApp = simulator.reviewers.merging(
            configuration.runtime.customers.sandboxByApp
        ) { _, configured in configured }
        configuration.runtime.sweepPause = Self.sweepPause

        // Its receiver is on this machine.
        configuration.outbound = OutboundGuard(allowing: [Network("127.0.0.0/8")].compactMap(\.self))
        let subscriber = try DemoSubscriber.join(&configuration.stream)
        let listening = Announcement<Void>()
        let server = try Server.build(
            configuration, clock: SimulatorClock(time: simulator.time), logger: logger
        ) { endpoint in
            guard !endpoint.isPublicListener else { return }
            reservation?.release()
            listening.make(())
        }
        let figures = DemoFigures()
        let questions = DemoQuestions(client: try NodeClient(address: address, token: token?.text))
        let earlier = folder.readTotals()
        let tour = DemoTour(
            simulator: simulator, simulatorPort: simulatorPort, questions: questions, figures: figures,
            introduction: DemoIntroduction(
                address: address, tokenFile: token.map { _ in folder.tokenFile },
                database: configuration.store.description,
                customers: FollowedCustomer.all(of: simulation.scenario, seed: simulation.seed),
                speed: simulation.speed,
                isLossy: simulation.disturbances != Disturbances(), isGoingOn: earlier != DemoTotals()),
            entitlements: configuration.catalog.entries.map(\.entitlement), folder: folder, earlier: earlier,
            status: StatusLine())
        var services: [any Service] = [
            simulator, DemoTraffic(simulator: simulator, questions: questions, figures: figures),
            DemoReceiver(webhooks: server.webhooks, figures: figures),
        ]
        // The records of the simulation are by the rules that hold where nothing is configured.
        let rules = configuration.runtime.customers.rules(of: try simulator.app.bundleID)
        if rules.transfer == .keep, rules.tokens == .id {
            services.append(DemoCustomerTraffic(simulator: simulator, questions: questions, figures: figures))
        }
        if let publisher = server.publisher {
            services.append(
                DemoSubscriber(
                    publisher: publisher, publicKey: subscriber.publicKey, keys: subscriber.keys, figures: figures))
        }
        let visit = DemoVisit(
            listening: listening, services: services,
            tour: tour, logger: logger)
        return (server.services + [visit]).map { PromptEnd(service: $0) }
    }

    /// Fast time makes for fast drift.
    private static let sweepPause = Duration.milliseconds(100)

    /// A token of the demo's own, where tokens are asked for.
    private static func token(
        for configuration: inout CheckedConfiguration, folder: DemoFolder
    ) throws -> APIToken? {
        guard !configuration.http.tokens.isEmpty else { return nil }
        let token = APIToken()
        try folder.write(token: token)
        configuration.http.tokens.append(
            try Token(name: "demo", sha256: token.sha256, scopes: Set(Scope.allCases)))
        return token
    }
}

extension AppStoreSimulator {
    /// How to ask it about the simulated app. A demo's limits are its own.
    fileprivate var access: ServerAPIAccess {
        get throws {
            ServerAPIAccess(
                account: ServerAPIAccount(
                    bundleID: BundleID(rawValue: self.configuration.store.bundleID),
                    appAppleID: self.configuration.store.appAppleID,
                    environment: self.configuration.store.environment),
                credentials: try ServerAPICredentials(
                    keyID: self.directory.keys.keyID, issuerID: self.directory.keys.issuerID,
                    privateKeyPEM: try self.directory.keys.clientKeyPEM()),
                baseURL: "http://127.0.0.1:\(self.configuration.port)", share: 1)
        }
    }

    /// Where it sells, and where reviewers buy.
    private var environments: Set<AppStoreEnvironment> {
        let sells = self.configuration.store.environment
        return self.configuration.scenario.people.contains(where: \.isInSandbox) ? [sells, .sandbox] : [sells]
    }

    /// Whose purchases in Sandbox count, as a publisher lists the account of App Review.
    fileprivate var reviewers: [BundleID: SandboxPolicy] {
        let reviewers = self.configuration.scenario.people.filter(\.isInSandbox)
            .compactMap { $0.customerID.flatMap { CustomerID($0) } }
        guard !reviewers.isEmpty else { return [:] }
        return [
            BundleID(rawValue: self.configuration.store.bundleID): .listed(customers: Set(reviewers), tokens: [])
        ]
    }

    /// What a node has to know of the simulated app.
    var app: AppIdentity {
        get throws(AppStoreConfigurationError) {
            try AppIdentity(
                bundleID: BundleID(rawValue: self.configuration.store.bundleID),
                appAppleID: self.configuration.store.appAppleID,
                environments: self.environments,
                roots: [try TrustedRoot(self.directory.keys.rootCertificate)])
        }
    }
}
