import AppStore
import AppStoreSimulator
import Subscriptions
import Testing

@Suite struct AnswerReaderTests {
    private let store: TestStore
    private let account = ServerAPIFixture.account

    init() throws { self.store = try TestStore.shared.get() }

    private func reader() throws -> AnswerReader {
        let apps = try AppDirectory([self.store.app])
        return AnswerReader(verifier: PayloadVerifier(apps: apps), apps: apps)
    }

    private func item(
        _ transaction: Payload? = .transaction, _ renewal: Payload? = .renewal, status: Int64 = 1,
        id: String = "2000000000000001", signedBy store: TestStore? = nil
    ) throws -> SubscriptionStatuses.Item {
        let store = store ?? self.store
        return SubscriptionStatuses.Item(
            groupIdentifier: "21000001", originalTransactionID: id, status: AppleStatus(rawValue: status),
            signedTransactionInfo: try transaction.map { SignedString(jws: try store.sign($0)) },
            signedRenewalInfo: try renewal.map { SignedString(jws: try store.sign($0)) })
    }

    private func read(
        _ item: SubscriptionStatuses.Item, of account: ServerAPIAccount? = nil
    ) async throws -> (StreamKey, FactBundle) {
        try await self.reader().read(item, of: account ?? self.account, now: TestStore.now)
    }

    private func history(_ transaction: Payload, of account: ServerAPIAccount? = nil) async throws
        -> (StreamKey, FactBundle)
    {
        try await self.reader().read(
            historyTransaction: SignedString(jws: self.store.sign(transaction)), of: account ?? self.account,
            now: TestStore.now)
    }

    private func refusal(_ read: () async throws -> (StreamKey, FactBundle)) async throws -> VerificationFailure.Class?
    {
        do {
            _ = try await read()
            return nil
        } catch let failure as ReadingFailure {
            return failure.class
        }
    }

    // MARK: Statuses

    @Test func readsAnItem() async throws {
        let renewal = Payload.renewal.with("signedDate", "1700000007000")
        let (key, bundle) = try await self.read(self.item(.transaction, renewal, status: 4))
        #expect(
            key
                == StreamKey(
                    kind: .subscription, id: "2000000000000001", environment: .production,
                    bundleID: self.account.bundleID))
        #expect(bundle.source == .statuses)
        #expect(bundle.notification == nil)
        #expect(bundle.signedDate.milliseconds == 1_700_000_007_000)
        #expect(bundle.facts.transactions.map(\.transactionID.rawValue) == ["2000000000000002"])
        #expect(bundle.facts.renewal?.autoRenewStatus == 1)
        // As of what was signed, never of when it was fetched.
        #expect(
            bundle.facts.status
                == StatusObservation(
                    status: .billingGracePeriod, asOf: Moment(milliseconds: 1_700_000_007_000),
                    digest: PayloadDigest(SHA.sha256(renewal.bytes)),
                    unsigned: .init(purchaseDate: Moment(milliseconds: 1_699_999_000_000))))
    }

    @Test func withoutRenewalInfoThereIsNoStatus() async throws {
        let (key, bundle) = try await self.read(self.item(.transaction, nil))
        #expect(key.kind == .subscription)
        #expect(bundle.facts.status == nil)
        #expect(bundle.facts.transactions.count == 1)
    }

    @Test func withoutTransactionThereIsAStatusOfNoPurchase() async throws {
        let (key, bundle) = try await self.read(self.item(nil))
        #expect(key.id == "2000000000000001")
        #expect(bundle.facts.status?.unsigned == .init(purchaseDate: nil))
    }

    @Test func withoutEitherThereIsNothingToRead() async throws {
        #expect(try await self.refusal { try await self.read(self.item(nil, nil)) } == .invalidJWTFormat)
    }

    @Test func theTwoAndTheItemAreOfOneSubscription() async throws {
        let other = Payload.renewal.with("originalTransactionId", "\"2000000000000009\"")
        #expect(try await self.refusal { try await self.read(self.item(.transaction, other)) } == .verificationFailure)
        for (transaction, renewal) in [(Payload.transaction, Payload.renewal), (.transaction, nil), (nil, .renewal)]
            as [(Payload?, Payload?)]
        {
            let item = try self.item(transaction, renewal, id: "2000000000000009")
            #expect(try await self.refusal { try await self.read(item) } == .verificationFailure)
        }
    }

    @Test func bothAreOfTheAccount() async throws {
        let sandboxed = Payload.transaction.with("environment", "\"Sandbox\"")
        #expect(try await self.refusal { try await self.read(self.item(sandboxed)) } == .invalidEnvironment)
        let renewal = Payload.renewal.with("environment", "\"Sandbox\"")
        #expect(
            try await self.refusal { try await self.read(self.item(.transaction, renewal)) } == .invalidEnvironment)
        let foreign = Payload.transaction.with("bundleId", "\"com.example.other\"")
        #expect(try await self.refusal { try await self.read(self.item(foreign)) } == .invalidAppIdentifier)

        let sandbox = ServerAPIAccount(bundleID: self.account.bundleID, environment: .sandbox)
        #expect(
            try await self.refusal { try await self.read(self.item(), of: sandbox) } == .invalidEnvironment)
        let stranger = ServerAPIAccount(bundleID: BundleID(rawValue: "com.example.other"), environment: .production)
        #expect(
            try await self.refusal { try await self.read(self.item(), of: stranger) } == .invalidAppIdentifier)
    }

    @Test func forgedStringsAreRefused() async throws {
        let forger = try TestStore(authority: CertificateAuthority.make(seed: 77))
        #expect(
            try await self.refusal { try await self.read(self.item(signedBy: forger)) } == .verificationFailure)
        var mixed = try self.item()
        mixed.signedRenewalInfo = try self.item(signedBy: forger).signedRenewalInfo
        #expect(try await self.refusal { try await self.read(mixed) } == .verificationFailure)
        var swapped = try self.item()
        swapped.signedRenewalInfo = swapped.signedTransactionInfo
        #expect(try await self.refusal { try await self.read(swapped) } == .invalidJWTFormat)
        var nonsense = try self.item()
        nonsense.signedTransactionInfo = SignedString(jws: Array("a.b.c".utf8))
        #expect(try await self.refusal { try await self.read(nonsense) } == .invalidJWTFormat)
    }

    @Test func aClockThatIsWrongRecordsNothing() async throws {
        let ahead = Payload.renewal.with("signedDate", "1700000999000")
        do {
            _ = try await self.read(self.item(.transaction, ahead))
            Issue.record("was read")
        } catch let failure as ReadingFailure {
            #expect(failure == .clockSkew(signed: Moment(milliseconds: 1_700_000_999_000)))
        }
    }

    // MARK: Dedup keys

    @Test func oneContentHasOneKeyHoweverOftenItIsSigned() async throws {
        let first = try await self.read(self.item()).1
        let again = try await self.read(
            self.item(
                Payload.transaction.with("signedDate", "1700000030000"),
                Payload.renewal.with("signedDate", "1700000030000"))
        ).1
        #expect(again.dedupKey == first.dedupKey)
        #expect(again.contentDigest == first.contentDigest)
        let changed = try await self.read(self.item(.transaction, .renewal.with("autoRenewStatus", "0"))).1
        #expect(changed.dedupKey != first.dedupKey)
    }

    @Test func anotherStatusIsAnotherFact() async throws {
        let keys = try await [1, 2, 3, 4, 5, 6].asyncMap { try await self.read(self.item(status: $0)).1.dedupKey }
        #expect(Set(keys).count == 6)
    }

    @Test func theSameFromAnotherSourceIsAnotherFact() async throws {
        let apps = try AppDirectory([self.store.app])
        let client = TransactionReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        let posted = try await client.read(
            signedTransaction: self.store.sign(.transaction), now: TestStore.now
        ).1
        let keys = [
            posted.dedupKey, try await self.history(.transaction).1.dedupKey,
            try await self.read(self.item(.transaction, nil)).1.dedupKey,
        ]
        #expect(Set(keys).count == 3)
    }

    /// What a client has posted is not vouched for; what Apple answers is, and must not be taken for a repetition.
    @Test func whatAppleVouchesForIsNoRepetitionOfAPost() async throws {
        let posted = try await self.read(self.item(.transaction, nil)).1
        var state = StreamState(key: try await self.read(self.item()).0)
        var client = posted
        client.source = .client
        state = state.merging(client.facts, source: .client)
        #expect(state.merging(posted.facts, source: .statuses) != state)
    }

    // MARK: History

    @Test func readsATransactionOfTheHistory() async throws {
        let (key, bundle) = try await self.history(.transaction)
        #expect(key.kind == .subscription)
        #expect(key.id == "2000000000000001")
        #expect(bundle.source == .history)
        #expect(bundle.facts.status == nil)
        #expect(bundle.facts.renewal == nil)
        #expect(bundle.signedDate.milliseconds == 1_700_000_000_000)

        let purchase = Payload.transaction.with("type", "\"Non-Consumable\"").with("expiresDate", nil)
        #expect(try await self.history(purchase).0.kind == .purchase)
    }

    @Test func historyOfAnotherAccountIsRefused() async throws {
        let sandboxed = Payload.transaction.with("environment", "\"Sandbox\"")
        #expect(try await self.refusal { try await self.history(sandboxed) } == .invalidEnvironment)
        let foreign = Payload.transaction.with("bundleId", "\"com.example.other\"")
        #expect(try await self.refusal { try await self.history(foreign) } == .invalidAppIdentifier)
        #expect(try await self.refusal { try await self.history(.renewal) } == .invalidJWTFormat)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
