import AppStore
import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Subscriptions
import Testing

/// For the same calls our client sends what Apple's own sends: method, path, query and body.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(
        if: ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"] != nil,
        "set PERENNIAL_TEST_PYTHON to a Python that has app-store-server-library"))
struct SameRequestsTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("send_with_apple.py").path
    private static let requestID = "7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11"

    /// A request without what may differ: the order of a query and of a body's members, and how Python writes `true`.
    private struct Sent: Equatable, CustomStringConvertible {
        let description: String

        init(_ entry: RequestLog.Entry) throws {
            let query = entry.query.split(separator: "&").map { $0.replacing("=True", with: "=true") }
                .map { $0.replacing("+", with: "%20") }.sorted().joined(separator: "&")
            var body = ""
            if !entry.body.isEmpty {
                let json = try JSONSerialization.jsonObject(with: Data(entry.body))
                body = String(
                    decoding: try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys]), as: UTF8.self)
            }
            self.description = "\(entry.method) \(entry.path) \(query) \(body)"
        }
    }

    @Test func sendsWhatApplesClientSends() async throws {
        let directory = try TemporaryDirectory()
        let keys = directory.file("apple")
        var configuration = SimulatorConfiguration(keysDirectory: keys)
        configuration.subscribers = 1
        try await SimulatedApple.run(configuration) { apple in
            // given
            try await onOwnThread { try Self.sendWithApples(keys: keys, output: directory.file("output")) }
            let theirs = try apple.simulator.requests.entries.map(Sent.init)
            apple.simulator.requests.removeAll()
            // when
            await Self.send(try apple.client())
            // then
            let ours = try apple.simulator.requests.entries.map(Sent.init)
            #expect(theirs.count == 18)
            for (our, their) in zip(ours, theirs) { #expect(our == their) }
            #expect(ours.count == theirs.count)
        }
    }

    private static func sendWithApples(keys: String, output: String) throws {
        let process = try PostgresHarness.ChildProcess(
            [ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"] ?? "", Self.script, keys],
            output: output, errors: output + ".errors", directory: FileManager.default.currentDirectoryPath)
        guard process.wait() == 0 else {
            throw HarnessFailed(text: try String(contentsOfFile: output + ".errors", encoding: .utf8))
        }
    }

    private struct HarnessFailed: Error {
        let text: String
    }

    /// The calls of the script, in its order. What is answered does not matter.
    private static func send(_ client: ServerAPIClient) async {
        var filter = HistoryFilter()
        filter.startDate = Moment(milliseconds: 1_700_000_000_000)
        filter.endDate = Moment(milliseconds: 1_700_000_000_001)
        filter.productIDs = ["a.b", "c&d"]
        filter.productTypes = ["AUTO_RENEWABLE", "CONSUMABLE"]
        filter.ascending = false
        filter.subscriptionGroupIdentifiers = ["21", "22"]
        filter.ownershipType = "FAMILY_SHARED"
        filter.revoked = true
        let window = (Moment(milliseconds: 1_700_000_000_000), Moment(milliseconds: 1_700_000_000_001))
        _ = try? await client.subscriptionStatuses(of: "1", statuses: [.active, .billingGracePeriod])
        _ = try? await client.subscriptionStatuses(of: "1")
        _ = try? await client.transactionInfo("2")
        _ = try? await client.transactionHistory(of: "3", filter, revision: "revision 1")
        _ = try? await client.appTransaction(of: "4")
        try? await client.finishTransaction("5")
        try? await client.setAppAccountToken(Self.requestID, of: "6")
        _ = try? await client.lookUpOrder("MABC")
        _ = try? await client.refundHistory(of: "7", revision: "r")
        _ = try? await client.refundHistory(of: "7")
        try? await client.sendConsumption(
            ConsumptionInformation(
                customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false,
                consumptionPercentage: 50_000, refundPreference: .grantProrated), for: "8")
        _ = try? await client.extendRenewalDate(
            of: "9", ExtensionRequest(days: 3, reason: .serviceIssue, requestIdentifier: "request 9"))
        _ = try? await client.extendRenewalDates(
            MassExtensionRequest(
                requestIdentifier: Self.requestID, productID: "pro.monthly", days: 4, reason: .customerSatisfaction,
                storefrontCountryCodes: ["USA", "DEU"]))
        _ = try? await client.massExtensionStatus(productID: "pro.monthly", requestIdentifier: Self.requestID)
        _ = try? await client.notificationHistory(
            NotificationHistoryQuery(
                startDate: window.0, endDate: window.1, notificationType: "SUBSCRIBED",
                notificationSubtype: "INITIAL_BUY", onlyFailures: true), paginationToken: "token+/=")
        _ = try? await client.notificationHistory(
            NotificationHistoryQuery(startDate: window.0, endDate: window.1, transactionID: "10"))
        _ = try? await client.requestTestNotification()
        _ = try? await client.testNotificationStatus("token_1")
    }
}
