import AppStoreSimulator
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Subscriptions

/// A `perennial serve` process on a free port, and lives to feed it with.
struct NodeFixture {
    let folder: TemporaryDirectory
    let factory: LifecycleFactory
    let configuration: String

    /// 2024-01-01, when the lives of a factory begin.
    private static let start = Moment(milliseconds: 1_704_067_200_000)

    init() throws {
        self.folder = try TemporaryDirectory()
        let lived = Milliseconds(rawValue: SimulatedTime.realNow().milliseconds - Self.start.milliseconds)
        self.factory = try LifecycleFactory(seed: 5, duration: lived)
        try self.folder.write(self.factory.rootCertificate, to: "root.cer")
        let yaml = """
            http: { port: 0 }
            store: { url: "sqlite://data/perennial.db" }
            entitlements:
              catalog: [ { entitlement: everything, products: [basic.monthly, pro.monthly, pro.yearly, news.weekly] } ]

            """
        self.configuration = try self.folder.write((yaml + Self.app), to: "perennial.yaml")
    }

    private static let app = """
        apps:
          - bundleId: com.example.app
            appAppleId: 1234567890
            environments: [Production]
            rootCertificates: [root.cer]
        """

    /// The section `apps`, with the files it needs in `folder`.
    static func apps(in folder: TemporaryDirectory) throws -> String {
        try folder.write(try LifecycleFactory(seed: 5).rootCertificate, to: "root.cer")
        return Self.app
    }

    /// Starts the node and waits until it listens.
    func start() async throws -> (process: PerennialProcess, url: String) {
        let process = try PerennialProcess("serve", "--config", self.configuration)
        let text = try await process.text(containing: "Listening")
        guard let url = text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#) else { throw Failure(text: text) }
        return (process, String(url.output))
    }

    /// Posts notifications as the App Store does.
    func post(_ notifications: [SignedNotification], to url: String) async throws {
        for notification in notifications {
            var request = HTTPClientRequest(url: "\(url)/v1/apple/notifications")
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/json")
            let body = #"{"signedPayload":"\#(String(decoding: notification.signedPayload, as: UTF8.self))"}"#
            request.body = .bytes(ByteBuffer(string: body))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            guard response.status == .ok else { throw Failure(text: "\(response.status)") }
        }
    }

    /// A life whose last word on its status is this one.
    func lifecycle(status: Int) throws -> SimulatedLifecycle {
        let now = SimulatedTime.realNow()
        for customer in 0..<500 {
            for lifecycle in try self.factory.lifecycles(ofCustomer: customer)
            where lifecycle.truth.status(at: now) == status && lifecycle.notifications.last?.status == status {
                return lifecycle
            }
        }
        throw Failure(text: "no such life")
    }

    struct Failure: Error {
        let text: String
    }
}
