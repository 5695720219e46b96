import AsyncHTTPClient
package import Logging
import ServiceLifecycle
package import Subscriptions
import Synchronization

/// An App Store in a box: customers who live in simulated time, and notifications about them, delivered over HTTP. Its
/// own server tells the truth. A simulation whose directory exists goes on where it stopped.
package final class AppStoreSimulator: Service {
    package let configuration: SimulatorConfiguration
    package let directory: KeysDirectory
    /// The simulation's clock. Who receives its notifications has to live by it.
    package let time: SimulatedTime
    package let truths = TruthBoard()
    package let deliveries = DeliveryLog()
    /// What the publisher's customers have.
    package let customers = CustomerBoard()
    /// What the publisher's backend has asked for.
    package let backendRequests = BackendLog()
    /// Every request to the store's API that was answered lately.
    package let requests = RequestLog()

    private let records: SimulationRecords
    private let api: StoreAPI
    private let origin: SimulationCheckpoint.Origin
    private let checkpoint: SimulationCheckpoint?
    private let signer: PayloadSigner
    private let lock: DirectoryLock
    private let port = Mutex<Int?>(nil)
    private let counts: Mutex<SimulatorStatistics>
    private let onRunning: @Sendable (_ port: Int) async -> Void
    private let logger: Logger

    /// Opens or makes the keys directory and sets the clock, which runs from now on; nothing else happens before
    /// `run()`.
    ///
    /// - Parameter onRunning: called when the server takes requests and `store.json` has been written.
    /// - Throws: `SimulatorError` for settings that cannot be, and for a directory that cannot be used or belongs to
    ///   another simulation.
    package init(
        _ configuration: SimulatorConfiguration, logger: Logger,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws(SimulatorError) {
        try configuration.validate()
        self.configuration = configuration
        self.directory = try KeysDirectory.open(configuration.keysDirectory)
        self.lock = try DirectoryLock(self.directory)
        self.signer = try self.directory.keys.signer()
        self.checkpoint = try self.directory.readCheckpoint()
        let start = self.checkpoint?.origin.start ?? (SimulatedTime.realNow() - configuration.past).milliseconds
        self.origin = SimulationCheckpoint.Origin(
            format: SimulationCheckpoint.format, seed: configuration.seed, subscribers: configuration.subscribers,
            bundleId: configuration.store.bundleID, environment: configuration.store.environment.rawValue, start: start,
            past: configuration.past.rawValue, scenario: configuration.scenario.fingerprint,
            delivers: !configuration.deliverTo.isEmpty)
        if let checkpoint, checkpoint.origin != self.origin {
            throw .otherSimulation(
                checkpoint.origin, isOtherScenario: checkpoint.origin.scenario != self.origin.scenario)
        }
        self.time = SimulatedTime(
            start: Moment(milliseconds: self.checkpoint.map { max($0.reached, $0.now ?? $0.reached) } ?? start),
            speed: configuration.speed,
            until: configuration.horizon)
        self.counts = Mutex(SimulatorStatistics(now: self.time.start))
        self.records = SimulationRecords(
            truths: self.truths, deliveries: self.deliveries, ledger: Ledger(),
            history: NotificationHistory(environment: configuration.store.environment), desk: OrderQueue())
        self.api = try StoreAPI(
            configuration: configuration, keys: self.directory.keys, records: self.records, time: self.time,
            signer: self.signer, requests: self.requests)
        self.onRunning = onRunning
        self.logger = logger
    }

    /// What goes wrong with the store's API on purpose. May be changed while it runs.
    package var apiDisturbances: APIDisturbances {
        get { self.api.troublemaker.disturbances }
        set { self.api.troublemaker.disturbances = newValue }
    }

    /// What is true of one of the publisher's customers; nil for somebody of whom nothing is known by then.
    package func standing(ofCustomer id: String, at moment: Moment) -> CustomerStanding? {
        CustomerTruthAnswer(
            id, at: moment, of: self.configuration.store, board: self.customers, truths: self.truths,
            deliveries: self.deliveries, backend: self.backendRequests)?.standing
    }

    /// As of now.
    package var statistics: SimulatorStatistics {
        var statistics = self.counts.withLock { $0 }
        statistics.now = self.time.now
        return statistics
    }

    /// Serves and delivers until a graceful shutdown; then what is under way is awaited and the place is marked. Nobody
    /// lives before the server takes requests.
    package func run() async throws {
        let server = SimulatorServer(
            port: self.configuration.port, store: self.configuration.store, truths: self.truths,
            deliveries: self.deliveries, time: self.time, api: self.api,
            publisher: SimulatorServer.Publisher(
                customers: self.customers, requests: self.backendRequests, writer: self.backendWriter),
            logger: self.logger)
        let (running, signal) = AsyncStream.makeStream(of: Void.self)
        let application = server.application { port in
            await self.serverRuns(on: port)
            signal.yield()
            signal.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { signal.finish() }
                try await application.run()
            }
            group.addTask { for await _ in running { try await self.live() } }
            for try await _ in group {}
        }
    }

    private func serverRuns(on port: Int) async {
        self.port.withLock { $0 = port }
        do { try self.describe(port: port) } catch {
            self.logger.warning("cannot write to the keys directory", metadata: ["error": "\(error)"])
        }
        await self.onRunning(port)
    }

    private func live() async throws {
        let client = NotificationSender.makeClient(
            connections: self.configuration.maximumInFlight, patience: self.configuration.patience)
        let signer = NotificationSigner(store: self.configuration.store, signer: self.signer)
        let sender = NotificationSender(
            urls: self.configuration.deliverTo, client: client, patience: self.configuration.patience)
        var run = SimulationRun(
            configuration: self.configuration, origin: self.origin, time: self.time, records: self.records,
            backend: (self.customers, self.backendRequests), signer: signer,
            sender: self.configuration.deliverTo.isEmpty ? nil : sender)
        do {
            run.resume(from: self.checkpoint)
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let player = self.player(client: client) { group.addTask { try await player.run() } }
                try await run.run(report: { self.report($0) }, save: { self.save($0) })
                try await group.waitForAll()
                run.mark { self.save($0) }
            }
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private var backendWriter: BackendCallWriter {
        BackendCallWriter(
            store: self.configuration.store, ledger: self.records.ledger, truths: self.truths, signer: self.signer)
    }

    /// nil where there is no node to ask.
    private func player(client: HTTPClient) -> BackendPlayer? {
        self.configuration.backend.map { backend in
            BackendPlayer(
                urls: backend.urls.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }, token: backend.token,
                log: self.backendRequests, writer: self.backendWriter, client: client,
                patience: self.configuration.patience, logger: self.logger)
        }
    }

    private func report(_ statistics: SimulatorStatistics) { self.counts.withLock { $0 = statistics } }

    /// What cannot be written now can be written next time.
    private func save(_ checkpoint: SimulationCheckpoint) {
        do {
            try self.directory.write(checkpoint)
            if let port = self.port.withLock({ $0 }) { try self.describe(port: port) }
        } catch {
            self.logger.warning("cannot write to the keys directory", metadata: ["error": "\(error)"])
        }
    }

    private func describe(port: Int) throws {
        // First: who waits for `store.json` finds both.
        try self.time.description.map(self.directory.write)
        try self.directory.write(
            StoreDescription(
                baseURL: "http://127.0.0.1:\(port)", keyId: self.directory.keys.keyID,
                issuerId: self.directory.keys.issuerID, bundleId: self.configuration.store.bundleID,
                appAppleId: self.configuration.store.appAppleID, transactionIds: self.truths.ids(first: 100)))
    }
}
