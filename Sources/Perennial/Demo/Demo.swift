import AppStore
import AppStoreSimulator
import Foundation
import HTTPAPI
import Logging
import ServiceLifecycle
import Subscriptions
import Synchronization

/// A node and the App Store that feeds it, over HTTP on loopback, on one simulated clock.
struct Demo {
    let services: [any Service]
    let simulator: AppStoreSimulator
    let figures: DemoFigures

    /// - Throws: `CommandFailure`, or what `CommandFailure(starting:)` understands.
    static func build(
        _ configuration: CheckedConfiguration, simulation: SimulatorConfiguration, folder: DemoFolder, logger: Logger
    ) throws -> Demo {
        var configuration = configuration
        var simulation = simulation
        if configuration.http.main.port == 0 { configuration.http.main.port = try FreePort.find() }
        let address = configuration.http.main.urlOnThisMachine
        simulation.deliverTo = "\(address)/v1/apple/notifications"

        let simulatorPort = Mutex(0)
        let simulator = try AppStoreSimulator(simulation, logger: logger) { port in
            simulatorPort.withLock { $0 = port }
        }
        configuration.apps.removeAll { $0.bundleID.rawValue == simulation.store.bundleID }
        configuration.apps.append(try simulator.app)

        var token: APIToken?
        if !configuration.http.tokens.isEmpty {
            let made = APIToken()
            try folder.write(token: made)
            configuration.http.tokens.append(
                try Token(name: "demo", sha256: made.sha256, scopes: Set(Scope.allCases)))
            token = made
        }

        let server = try Server.build(
            configuration, clock: SimulatorClock(time: simulator.time), logger: logger
        ) { _ in }
        let figures = DemoFigures()
        let client = try NodeClient(address: address, token: token?.text)
        let introduction = DemoIntroduction(
            address: address, simulatorAddress: { "http://127.0.0.1:\(simulatorPort.withLock { $0 })" },
            tokenFile: token.map { _ in folder.tokenFile }, database: configuration.storePath)
        return Demo(
            services: server.services + [
                simulator, DemoTraffic(simulator: simulator, client: client, figures: figures),
                DemoDisplay(simulator: simulator, figures: figures, introduction: introduction),
            ],
            simulator: simulator, figures: figures)
    }
}

extension AppStoreSimulator {
    /// What a node has to know of the simulated app.
    var app: AppIdentity {
        get throws(AppStoreConfigurationError) {
            try AppIdentity(
                bundleID: BundleID(rawValue: self.configuration.store.bundleID),
                appAppleID: self.configuration.store.appAppleID,
                environments: [self.configuration.store.environment],
                roots: [try TrustedRoot(self.directory.keys.rootCertificate)])
        }
    }
}
