import Foundation

/// The directory through which a simulation and its clients meet. Clients read `root.cer`, `AuthKey.p8`, `store.json` and
/// `clock.json`; the simulation's own are `authority.json` (its keys) and `simulation.json` (how far it has got).
package struct KeysDirectory: Sendable {
    package let path: String
    package let keys: SimulatorKeys

    private static let authority = "authority.json"
    private static let simulation = "simulation.json"
    private static let clock = "clock.json"

    /// Opens the directory, and makes it and its keys when they do not exist.
    ///
    /// - Throws: `SimulatorError` when it cannot be read or written.
    package static func open(_ path: String) throws(SimulatorError) -> KeysDirectory {
        do {
            let url = URL(fileURLWithPath: path, isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let file = url.appendingPathComponent(Self.authority)
            let keys: SimulatorKeys
            if FileManager.default.fileExists(atPath: file.path) {
                keys = try JSONDecoder().decode(SimulatorKeys.self, from: Data(contentsOf: file))
            } else {
                keys = try SimulatorKeys.make()
                try WholeFile.write(try JSONEncoder().encode(keys), to: file, isSecret: true)
            }
            let directory = KeysDirectory(path: path, keys: keys)
            try WholeFile.write(Data(keys.rootCertificate), to: directory.url("root.cer"))
            try WholeFile.write(Data(try keys.clientKeyPEM().utf8), to: directory.url("AuthKey.p8"), isSecret: true)
            return directory
        } catch {
            throw .keysUnusable(path, error)
        }
    }

    /// Where `name` lies.
    package func file(_ name: String) -> String { self.url(name).path }

    /// Writes `store.json`.
    func write(_ description: StoreDescription) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try WholeFile.write(try encoder.encode(description), to: self.url("store.json"))
    }

    /// Writes `clock.json`.
    func write(_ clock: ClockDescription) throws {
        try WholeFile.write(try JSONEncoder().encode(clock), to: self.url(Self.clock))
    }

    /// The clock of the simulation that runs in a directory, for a node beside it.
    ///
    /// - Throws: `SimulatorError` where there is none.
    package static func clock(in path: String) throws(SimulatorError) -> SimulatedTime {
        do {
            let file = URL(fileURLWithPath: path).appendingPathComponent(Self.clock)
            return try JSONDecoder().decode(ClockDescription.self, from: Data(contentsOf: file)).time()
        } catch {
            throw .keysUnusable(path, error)
        }
    }

    /// How far the simulation in this directory has got; nil when there was none.
    ///
    /// - Throws: `SimulatorError`, also for what an earlier version wrote.
    func readCheckpoint() throws(SimulatorError) -> SimulationCheckpoint? {
        let url = self.url(Self.simulation)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            let contents = try Data(contentsOf: url)
            let format = try JSONDecoder().decode(SimulationCheckpoint.Format.self, from: contents).number
            guard format == SimulationCheckpoint.format else { throw SimulatorError.otherFormat(format, self.path) }
            return try JSONDecoder().decode(SimulationCheckpoint.self, from: contents)
        } catch let error as SimulatorError {
            throw error
        } catch {
            throw .keysUnusable(self.path, error)
        }
    }

    func write(_ checkpoint: SimulationCheckpoint) throws {
        try WholeFile.write(try JSONEncoder().encode(checkpoint), to: self.url(Self.simulation))
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: self.path).appendingPathComponent(name) }
}

/// `store.json`: what a client has to know of the simulated store.
package struct StoreDescription: Codable, Hashable, Sendable {
    package var baseURL: String
    package var keyId: String
    package var issuerId: String
    package var bundleId: String
    package var appAppleId: Int64
    /// `originalTransactionId`s that exist; a hundred at most, the oldest first.
    package var transactionIds: [String]
}
