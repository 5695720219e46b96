import Foundation

/// The built `perennial` that the tests start.
enum TestBinary {
    /// `PERENNIAL_BINARY`, else the one beside the test bundle.
    static let path: String? = {
        let named = ProcessInfo.processInfo.environment["PERENNIAL_BINARY"]
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("perennial").path
        return [named, beside].compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The one that runs nodes which lack a guard, or pretend to be newer; it lies beside `perennial`, where it was built.
    static let benchmarks: String? = Self.path.map {
        URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("PerennialBenchmarks").path
    }.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }

    static func find(_ program: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
