import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Subscriptions

/// A `perennial serve` process on a store and a port of its own, for the app of the tests.
struct NodeProcess {
    static let bundleID = "com.example.app"
    static let appAppleID: Int64 = 1_234_567_890

    let process: ChildProcess
    let url: String

    /// Whoever asks a node that has ended is to hear of it at once.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Starts a node whose store lies in `directory`, and returns when it is ready. `wrapper` is put before the command,
    /// e.g. a tracer.
    static func start(
        in directory: TemporaryDirectory, root: [UInt8], wrapper: [String] = []
    ) async throws -> NodeProcess {
        try await Self.start(
            in: directory, root: root, sections: "store: { url: \"sqlite://\(directory.file("perennial.db"))\" }",
            wrapper: wrapper)
    }

    /// - Parameters:
    ///   - sections: of the configuration, beside `http` and `apps`.
    ///   - app: further keys of the app.
    ///   - environments: of the App Store, in which it knows the app.
    ///   - readiness: what has to be answered with 200.
    static func start(
        in directory: TemporaryDirectory, root: [UInt8], sections: String, app: String = "",
        environments: [AppStoreEnvironment] = [.production], wrapper: [String] = [], readiness: String = "/readyz"
    ) async throws -> NodeProcess {
        let process = try Self.launch(
            in: directory, root: root, sections: sections, app: app, environments: environments, wrapper: wrapper)
        // Polls: what the test finds does not depend on their pace.
        while process.isRunning, !Task.isCancelled {
            if let node = NodeProcess(listening: process) {
                if let status = try? await node.get(readiness).status, status == 200 { return node }
            }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw ProcessFailure("the node did not become ready: \(process.errorOutput)")
    }

    /// Starts a node, and does not wait for it.
    static func launch(
        in directory: TemporaryDirectory, root: [UInt8], sections: String, app: String = "",
        environments: [AppStoreEnvironment] = [.production], wrapper: [String] = []
    ) throws -> ChildProcess {
        guard let binary = TestBinary.path else { throw ProcessFailure("no perennial binary: set PERENNIAL_BINARY") }
        try directory.write(root, to: "root.cer")
        let configuration = try directory.write(
            """
            http: { host: 127.0.0.1, port: 0 }
            \(sections)
            apps:
              - bundleId: \(Self.bundleID)
                appAppleId: \(Self.appAppleID)
                environments: [\(environments.map(\.rawValue).joined(separator: ", "))]
                rootCertificates: ["\(directory.file("root.cer"))"]
                \(app)
            """, to: "perennial.yaml")
        let command = wrapper + [binary, "serve", "--config", configuration]
        let output = directory.file(UUID().uuidString)
        return try ChildProcess(command[0], Array(command.dropFirst()), output: output)
    }

    init(process: ChildProcess, url: String) {
        self.process = process
        self.url = url
    }

    /// nil until it listens, and again until the run listens as which it comes back.
    init?(listening process: ChildProcess) {
        // As `perennial serve` says it, or as the node of the benchmarks does.
        let port =
            Self.runs(in: process.errorOutput).last?.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/)?.output.1
            ?? process.output.firstMatch(of: /api ([0-9]+)\n/)?.output.1
        guard let port else { return nil }
        self.init(process: process, url: "http://127.0.0.1:\(port)")
    }

    /// How often it was taken for dead, and has said that it comes back.
    var comebacks: Int { Self.runs(in: self.process.errorOutput).count - 1 }

    /// What each of its runs has written.
    private static func runs(in output: String) -> [Substring] {
        output.split(separator: "comes back as another run", omittingEmptySubsequences: false)
    }

    /// - Parameters:
    ///   - token: what the answer must not be older than.
    ///   - patience: for how long a node that may be paused or cut off is waited for.
    func get(
        _ path: String, atLeast token: String? = nil, patience: TimeAmount = .minutes(2)
    ) async throws -> (status: UInt, body: [UInt8]) {
        var request = HTTPClientRequest(url: self.url + path)
        if let token { request.headers.add(name: "Perennial-At-Least", value: token) }
        return try await Self.answer(to: request, patience)
    }

    /// - Parameters:
    ///   - json: the body.
    ///   - token: what the answer must not be older than.
    ///   - patience: for how long a node that may be busy is waited for.
    func post(
        _ json: String, to path: String, atLeast token: String? = nil, patience: TimeAmount = .minutes(2)
    ) async throws -> (status: UInt, body: [UInt8]) {
        var request = HTTPClientRequest(url: self.url + path)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        if let token { request.headers.add(name: "Perennial-At-Least", value: token) }
        request.body = .bytes(Array(json.utf8))
        return try await Self.answer(to: request, patience)
    }

    private static func answer(
        to request: HTTPClientRequest, _ patience: TimeAmount
    ) async throws -> (status: UInt, body: [UInt8]) {
        let response = try await Self.client.execute(request, timeout: patience)
        return (response.status.code, Array(buffer: try await response.body.collect(upTo: 64 << 20)))
    }

    /// The change stream as server-sent events; its body ends with the node.
    /// - Parameter id: the last one that a listener got; nil for one who comes for the first time.
    func eventStream(after id: String?) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: self.url + "/v1/events")
        request.headers.add(name: "Accept", value: "text/event-stream")
        if let id { request.headers.add(name: "Last-Event-ID", value: id) }
        return try await Self.client.execute(request, timeout: .seconds(30))
    }

    /// The status of the answer; throws when there is none, as when the node was killed.
    /// - Parameter patience: for how long a node that may be busy is waited for.
    func notify(_ signedPayload: [UInt8], patience: TimeAmount = .minutes(10)) async throws -> UInt {
        var request = HTTPClientRequest(url: self.url + "/v1/apple/notifications")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(Array(#"{"signedPayload":""#.utf8) + signedPayload + Array(#""}"#.utf8))
        let response = try await Self.client.execute(request, timeout: patience)
        _ = try await response.body.collect(upTo: 1 << 20)
        return response.status.code
    }

    /// Every event of the log, by the change stream's pages. Asks again while the node says that it may be asked again.
    func allEvents() async throws -> [[String: Any]] { try await self.readAll().events }

    /// With it a reader goes on after everything that is there now.
    func cursorOfAllEvents() async throws -> String {
        guard let cursor = try await self.readAll().cursor else { throw ProcessFailure("there is no event") }
        return cursor
    }

    private func readAll() async throws -> (events: [[String: Any]], cursor: String?) {
        var events: [[String: Any]] = []
        var cursor: String?
        while true {
            let query = cursor.map { "&after=\($0)" } ?? ""
            let (status, body) = try await self.get("/v1/events?limit=1000\(query)", patience: .minutes(10))
            if status == 503 {
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            guard status == 200, let page = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
                let found = page["events"] as? [[String: Any]]
            else { throw ProcessFailure("no page of events: \(status) \(String(decoding: body, as: UTF8.self))") }
            guard !found.isEmpty, let next = page["next"] as? String else { return (events + found, cursor) }
            events += found
            cursor = next
        }
    }
}
