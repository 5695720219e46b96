import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import StoreSamples
import Subscriptions
import Testing

private enum Python {
    static let path = ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"]
}

/// Apple's own client library has to accept and decode what the simulator signs, with its strict chain checks.
@Suite(
    .onOwnThreads,
    .enabled(
        if: Python.path != nil,
        "set PERENNIAL_TEST_PYTHON to a Python that has app-store-server-library"))
struct ApplePythonLibraryTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("verify_with_apple.py").path

    private struct Report: Decodable {
        let counts: [String: Int]
        let differences: [String]
        /// The names that occurred, by kind of payload.
        let members: [String: Set<String>]
    }

    /// How many of a name are shown to it, which takes tens of milliseconds for each.
    private static let most = 12

    /// What that crowd lives through.
    private static let names: Set = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY",
        "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY",
        "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRODUCT_NOT_FOR_SALE", "EXPIRED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
        "OFFER_REDEEMED", "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "PRICE_INCREASE/PENDING",
        "PRICE_INCREASE/ACCEPTED", "REFUND", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED",
        "ONE_TIME_CHARGE", "TEST",
    ]

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func acceptsAndDecodesEverything(environment: AppStoreEnvironment) throws {
        // given the lives of a crowd, and a test notification
        let factory = try LifecycleFactory(seed: 41, store: StoreIdentity(environment: environment))
        let lives = try (0..<60).flatMap { try factory.lifecycles(ofCustomer: $0) }.flatMap(\.notifications)
        var notifications = Dictionary(grouping: lives, by: Self.name).values.flatMap { $0.prefix(Self.most) }
        notifications.append(try factory.testNotification())

        // when Apple's library reads them
        let report = try self.verify(notifications, factory: factory)

        // then every one was verified, and every member was decoded as it was signed
        #expect(report.differences.isEmpty)
        #expect(report.counts.values.reduce(0, +) == notifications.count)
        #expect(notifications.count >= 200)
        #expect(Set(report.counts.keys) == Self.names)
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func acceptsAndDecodesEverySample(environment: AppStoreEnvironment) throws {
        // given a notification of each type and form
        let authority = try CertificateAuthority.make(seed: 42)
        let factory = try LifecycleFactory(store: StoreIdentity(environment: environment), authority: authority)
        let signer = NotificationSigner(store: factory.store, signer: authority.signer)

        // when Apple's library reads them
        let report = try self.verify(StoreSample.all.map { try signer.sign($0.notification) }, factory: factory)

        // then all four kinds of payload were verified, and every member was decoded as it was signed
        #expect(report.differences.isEmpty)
        #expect(report.counts == Dictionary(StoreSample.all.map { ($0.name, 1) }, uniquingKeysWith: +))
        #expect(report.members.keys.sorted() == ["app transaction", "notification", "renewal", "transaction"])
        #expect(
            report.members["notification"]?.isSuperset(
                of: ["data", "summary", "externalPurchaseToken", "appData"]) == true)
        #expect(
            report.members["transaction"]?.isSuperset(
                of: ["advancedCommerceInfo", "commitmentInfo", "revocationPercentage", "billingPlanType"]) == true)
        #expect(
            report.members["renewal"]?.isSuperset(
                of: ["advancedCommerceInfo", "commitmentInfo", "priceIncreaseStatus", "eligibleWinBackOfferIds"])
                == true)
    }

    @Test func refusesAnotherRoot() throws {
        let factory = try LifecycleFactory(authority: .make(seed: 1))
        let other = try LifecycleFactory(authority: .make(seed: 2))
        #expect(throws: (any Error).self) { try self.verify([factory.testNotification()], factory: other) }
    }

    private static func name(_ notification: SignedNotification) -> String {
        [notification.type, notification.subtype].compactMap { $0 }.joined(separator: "/")
    }

    private struct Refused: Error {
        let output: String
    }

    private func verify(_ notifications: [SignedNotification], factory: LifecycleFactory) throws -> Report {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("perennial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let root = directory.appendingPathComponent("root.cer")
        let file = directory.appendingPathComponent("notifications")
        try Data(factory.rootCertificate).write(to: root)
        try Data(notifications.map(\.signedPayload).joined(separator: [0x0A])).write(to: file)

        let output = directory.appendingPathComponent("output")
        let process = try PostgresHarness.ChildProcess(
            [
                Python.path ?? "", Self.script, root.path, factory.store.bundleID, "\(factory.store.appAppleID)",
                factory.store.environment.rawValue, file.path,
            ], output: output.path, errors: "/dev/null", directory: FileManager.default.currentDirectoryPath)
        let status = process.wait()
        let text = try Data(contentsOf: output)
        guard status == 0 else { throw Refused(output: String(decoding: text, as: UTF8.self)) }
        return try JSONDecoder().decode(Report.self, from: text)
    }
}
