/// Why a simulation cannot start.
package struct SimulatorError: Error, CustomStringConvertible {
    package enum Code: Sendable { case invalidSetting, otherSimulation, keysUnusable }

    package let code: Code
    package let message: String
    /// Of `otherSimulation`: how many customers the simulation has that the directory holds.
    package private(set) var subscribers: Int?

    package var description: String { self.message }

    static func invalidSetting(_ name: String, _ rule: String) -> SimulatorError {
        SimulatorError(code: .invalidSetting, message: "simulator: \(name) \(rule)")
    }

    static func keysUnusable(_ path: String, _ cause: any Error) -> SimulatorError {
        SimulatorError(code: .keysUnusable, message: "simulator: keys directory \(path) cannot be used: \(cause)")
    }

    static func otherSimulation(_ origin: SimulationCheckpoint.Origin) -> SimulatorError {
        var error = SimulatorError(
            code: .otherSimulation,
            message: "simulator: the keys directory holds a simulation with seed \(origin.seed), \(origin.subscribers) "
                + "subscribers and \(origin.bundleId) in \(origin.environment); use the same, or another directory")
        error.subscribers = origin.subscribers
        return error
    }
}
