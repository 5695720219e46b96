import Foundation

/// Why a node's run has begun. A run that begins anew in the same process is told by the environment.
package enum RunBeginning: String, Sendable, CaseIterable {
    /// Somebody has started the program.
    case fresh
    /// Others had taken the run before for dead.
    case comeback
    /// The run before could not reach the store, and has said so.
    case waiting

    private static let variable = "PERENNIAL_RUN_BEGINNING"

    /// Of this run.
    static var present: RunBeginning {
        ProcessInfo.processInfo.environment[Self.variable].flatMap(Self.init) ?? .fresh
    }

    /// The environment of a run that begins like this, in the form `NAME=value`.
    var environment: [String] {
        var variables = ProcessInfo.processInfo.environment
        variables[Self.variable] = self.rawValue
        return variables.map { "\($0.key)=\($0.value)" }
    }
}
