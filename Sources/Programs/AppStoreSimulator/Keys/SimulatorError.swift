import Foundation

/// Why a simulation cannot start.
package struct SimulatorError: Error, CustomStringConvertible {
    package enum Code: Sendable { case invalidSetting, otherSimulation, keysUnusable }

    package let code: Code
    package let message: String
    /// Of `otherSimulation`: how many customers the simulation has that the directory holds.
    package private(set) var subscribers: Int?
    /// Of `otherSimulation`: whether the simulation that the directory holds lives by another scenario.
    package private(set) var isOtherScenario = false

    package var description: String { self.message }

    static func invalidSetting(_ name: String, _ rule: String) -> SimulatorError {
        SimulatorError(code: .invalidSetting, message: "simulator: \(name) \(rule)")
    }

    static func keysUnusable(_ path: String, _ cause: any Error) -> SimulatorError {
        SimulatorError(
            code: .keysUnusable,
            message: "simulator: keys directory \(path) cannot be used: \(cause.localizedDescription)")
    }

    static func inUse(_ path: String) -> SimulatorError {
        SimulatorError(
            code: .keysUnusable, message: "simulator: another simulation runs in the keys directory \(path)")
    }

    static func otherSimulation(
        _ origin: SimulationCheckpoint.Origin, isOtherScenario: Bool
    ) -> SimulatorError {
        var error = SimulatorError(
            code: .otherSimulation,
            message: "simulator: the keys directory holds a simulation with seed \(origin.seed), \(origin.subscribers) "
                + "subscribers, a history of \(origin.past / 86_400_000) days and \(origin.bundleId) in "
                + "\(origin.environment), \(origin.delivers ? "with" : "without") --deliver-to"
                + "\(isOtherScenario ? ", by another scenario" : ""); use the same, or another "
                + "directory")
        error.subscribers = origin.subscribers
        error.isOtherScenario = isOtherScenario
        return error
    }

    static func otherFormat(_ format: Int, _ path: String) -> SimulatorError {
        let age = format < SimulationCheckpoint.format ? "an earlier" : "a later"
        return SimulatorError(
            code: .otherSimulation,
            message: "simulator: \(path) holds a simulation of \(age) version: use another directory or delete it")
    }
}
