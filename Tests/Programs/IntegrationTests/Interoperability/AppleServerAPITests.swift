import AppStoreSimulator
import Foundation
import Hummingbird
import Logging
import NIOCore
import PerennialTestSupport
import PostgresHarness
import ServiceLifecycle
import Subscriptions
import Testing

/// Apple's own client of the App Store Server API has to read every answer and every error of the simulated one.
@Suite(
    .onOwnThreads,
    .timeLimit(.minutes(10)),
    .enabled(
        if: ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"] != nil,
        "set PERENNIAL_TEST_PYTHON to a Python that has app-store-server-library"))
struct AppleServerAPITests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("call_with_apple.py").path

    private struct Report: Decodable {
        let read: [String]
        let wrong: [String]
    }

    private static let common: Set = [
        "statuses", "statuses: app", "statuses: filter", "history", "history: filters", "transaction info",
        "app transaction", "finish", "refunds", "refunds: some", "account token", "consumption", "consumption: consent",
        "history: first version", "consumption: first version",
        "extension", "extension: refused", "mass extension", "mass extension: unknown", "notifications",
        "notifications: attempts", "notifications: type", "notifications: subtype", "notifications: failures",
        "notifications: too far back", "test notification", "errors: statuses", "errors: malformed",
        "errors: transaction", "errors: app transaction", "errors: finish", "errors: refunds", "errors: test status",
        "errors: history", "errors: extension", "errors: account token", "errors: unauthorized",
    ]

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func readsEveryAnswer(environment: AppStoreEnvironment) async throws {
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let router = Router()
        router.post("/") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return HTTPResponse.Status.ok
        }
        try await router.serve {
            try await self.readEveryAnswer(environment, deliversTo: "\($0)/", keys: directory.path, logger: logger)
        }
    }

    private func readEveryAnswer(
        _ environment: AppStoreEnvironment, deliversTo url: String, keys: String, logger: Logger
    ) async throws {
        // given a store that has caught up with the present, and has delivered everything
        var configuration = SimulatorConfiguration(keysDirectory: keys)
        configuration.subscribers = 30
        configuration.speed = 5_000_000
        configuration.store.environment = environment
        configuration.deliverTo = [url]
        // Every attempt has to succeed, however long this machine lets its receiver wait.
        configuration.patience = .hours(1)
        let simulator = try AppStoreSimulator(configuration, logger: logger)
        let store = ServiceGroup(services: [simulator], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await store.run() }
            while simulator.truths.settled < SimulatedTime.realNow() - .minutes(1) || simulator.statistics.waiting > 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
            // What was sold is in `store.json` with the next checkpoint.
            while try Self.sold(in: keys) < 20 { try await Task.sleep(for: .milliseconds(50)) }

            // when Apple's client asks for everything
            let report = try await onOwnThread { try Self.report(keys: keys, environment: environment) }

            // then it has read all of it as it was meant
            #expect(report.wrong == [])
            let orders: Set = ["order", "order: invalid"]
            #expect(Set(report.read) == Self.common.union(environment == .production ? orders : []))
            await store.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private static func sold(in keys: String) throws -> Int {
        let file = URL(fileURLWithPath: keys).appendingPathComponent("store.json")
        return try JSONDecoder().decode(StoreDescription.self, from: Data(contentsOf: file)).transactionIds.count
    }

    private struct Failed: Error {
        let output: String
    }

    private static func report(keys: String, environment: AppStoreEnvironment) throws -> Report {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("perennial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = try PostgresHarness.ChildProcess(
            [
                ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"] ?? "", Self.script, keys,
                environment.rawValue,
            ], output: output.path, errors: "/dev/null", directory: FileManager.default.currentDirectoryPath)
        let status = process.wait()
        let text = try Data(contentsOf: output)
        guard status == 0 else { throw Failed(output: String(decoding: text, as: UTF8.self)) }
        return try JSONDecoder().decode(Report.self, from: text)
    }
}
