import Entitlements
import Foundation
import Subscriptions
import Testing

@Suite struct EntitlementRowTests {
    private let rules = DerivationRules(nonRenewingDuration: ["pass": .days(7)])
    private var fingerprint: RulesFingerprint { RulesFingerprint(self.rules) }

    @Test("a row answers every later moment as the state does", arguments: Story.all)
    func answersLikeTheState(_ story: Story) throws {
        let row = EntitlementRow(state: story.state, version: 7, from: story.now, rules: self.rules)
        let decoded = try EntitlementRow(decoding: row.encoded(under: self.fingerprint))
        #expect(decoded == row)
        #expect(decoded.version == 7)
        for hours in stride(from: 0, to: 24 * 100, by: 2) {
            for moment in [
                story.now + .hours(Int64(hours)), story.now + .hours(Int64(hours)) - Milliseconds(rawValue: 1),
            ] {
                let snapshot = try #require(story.state.snapshot(at: max(moment, story.now), rules: self.rules))
                let answer = decoded.answer(at: moment)
                #expect(answer.entitled == snapshot.entitled)
                #expect(answer.state == snapshot.state)
                #expect(answer.validUntil == snapshot.validUntil)
                #expect(answer.productID == snapshot.productID)
                #expect(answer.code == CohortCode(snapshot))
            }
        }
    }

    @Test("a row has at most 100 bytes with a product id of 40", arguments: Story.all)
    func size(_ story: Story) {
        let row = EntitlementRow(state: story.state, version: 1_000_000, from: story.now, rules: self.rules)
        #expect(row.encoded(under: self.fingerprint).count <= 100)
    }

    @Test("a row of format 1 is read, and does not say what made it")
    func oldFormat() throws {
        let row = EntitlementRow(state: Story.all[0].state, version: 7, from: Story.all[0].now, rules: self.rules)
        let encoded = row.encoded(under: self.fingerprint)
        let old = [1] + encoded[5...]
        #expect(try EntitlementRow(decoding: old) == row)
        #expect(EntitlementRow.fingerprint(of: old) == nil)
        #expect(EntitlementRow.fingerprint(of: encoded) == self.fingerprint)
        #expect(EntitlementRow.fingerprint(of: []) == nil)
    }

    @Test("every setting has a fingerprint of its own, and a default that is spelled out has none")
    func fingerprints() {
        let settings = [
            DerivationRules(), DerivationRules(renewalLeeway: [.production: .hours(1)]),
            DerivationRules(renewalLeeway: [.sandbox: .hours(1)]),
            DerivationRules(nonRenewingDuration: ["a": .days(7)]),
            DerivationRules(nonRenewingDuration: ["a": .days(8)]),
            DerivationRules(nonRenewingDuration: ["a": .days(7), "b": .days(7)]),
        ]
        #expect(Set(settings.map(RulesFingerprint.init)).count == settings.count)
        let spelledOut = DerivationRules(renewalLeeway: [.production: .hours(2), .xcode: .minutes(5)])
        #expect(RulesFingerprint(spelledOut) == RulesFingerprint(DerivationRules()))
    }

    /// Stored rows are believed as long as the fingerprint is the same. Whoever finds this test failing has changed what
    /// facts are answered with: raise `RulesFingerprint.logicVersion`, and take over the new rows.
    @Test("the logic of this version gives these rows", arguments: zip(Story.all, Story.rows))
    func logicVersion(_ story: Story, _ row: String) {
        #expect(RulesFingerprint.logicVersion == 2)
        let bytes = EntitlementRow(state: story.state, version: 7, from: story.now, rules: self.rules)
            .encoded(under: self.fingerprint)
        #expect(Data(bytes.dropFirst(5)).base64EncodedString() == row, "\(story)")
    }

    @Test("without facts nothing is known")
    func unknown() throws {
        let key = Story.all[0].state.key
        let row = EntitlementRow(state: StreamState(key: key), version: 0, from: Story.day(0), rules: self.rules)
        #expect(try EntitlementRow(decoding: row.encoded(under: self.fingerprint)).answer(at: Story.day(1)) == .unknown)
    }

    @Test("bytes that are no row are refused, whatever they are")
    func garbage() throws {
        var random = SystemRandomNumberGenerator()
        let row = EntitlementRow(state: Story.all[0].state, version: 7, from: Story.all[0].now, rules: self.rules)
            .encoded(under: self.fingerprint)
        for length in 0..<row.count {
            #expect(throws: EntitlementRowError.self) { try EntitlementRow(decoding: Array(row.prefix(length))) }
        }
        #expect(throws: EntitlementRowError.malformed) { try EntitlementRow(decoding: row + [0]) }
        #expect(throws: EntitlementRowError.unknownFormat) { try EntitlementRow(decoding: [3] + row.dropFirst()) }
        for _ in 0..<100_000 {
            var bytes = row
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<row.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let decoded = try? EntitlementRow(decoding: bytes) else { continue }
            _ = decoded.answer(at: Story.day(1))
            #expect((try? EntitlementRow(decoding: decoded.encoded(under: self.fingerprint))) == decoded)
        }
    }
}

/// A state, and the moment of its row.
struct Story: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let state: StreamState
    let now: Moment

    static func day(_ days: Double) -> Moment { Moment(milliseconds: 1_777_593_600_000 + Int64(days * 86_400_000)) }

    init(_ testDescription: String, kind: StreamKind = .subscription, at now: Double, _ facts: Facts...) {
        self.testDescription = testDescription
        let key = StreamKey(
            kind: kind, id: "2000000000000001", environment: .production,
            bundleID: BundleID(rawValue: "com.example.app"))
        self.state = facts.reduce(into: StreamState(key: key)) {
            $0.apply(SubscriptionEvent(facts: $1, source: .notification, changes: [.noted]))
        }
        self.now = Self.day(now)
    }

    static let longProduct = "com.example.newspaper.everything.monthly"

    static func transaction(
        _ id: Int, _ start: Double, _ end: Double?, product: String = longProduct,
        _ change: (inout TransactionInfo) -> Void = { _ in }
    ) -> TransactionInfo {
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: "2000000000000001"),
            transactionID: TransactionID(rawValue: "\(id)"), bundleID: BundleID(rawValue: "com.example.app"),
            environment: .production, signedDate: self.day(start),
            digest: PayloadDigest(repeatElement(UInt8(id), count: 32)))
        (info.productID, info.purchaseDate, info.expiresDate) = (product, self.day(start), end.map(self.day))
        change(&info)
        return info
    }

    static func renewal(_ signed: Double, _ change: (inout RenewalInfo) -> Void) -> RenewalInfo {
        var info = RenewalInfo(
            originalTransactionID: OriginalTransactionID(rawValue: "2000000000000001"), environment: .production,
            signedDate: self.day(signed), digest: PayloadDigest(repeatElement(1, count: 32)))
        change(&info)
        return info
    }

    static let all = [
        Story("subscribed", at: 3, Facts(transactions: [transaction(1, 0, 30)])),
        Story(
            "auto-renew off", at: 3,
            Facts(transactions: [transaction(1, 0, 30)], renewal: renewal(1) { $0.autoRenewStatus = 0 })),
        Story(
            "renewed ahead, to another product", at: 29.5,
            Facts(transactions: [transaction(1, 0, 30), transaction(2, 30, 60, product: "basic")])),
        Story(
            "grace", at: 30,
            Facts(
                transactions: [transaction(1, 0, 30)],
                renewal: renewal(30) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(46)) })),
        Story("revoked", at: 9, Facts(transactions: [transaction(1, 0, 30) { $0.revocationDate = day(8) }])),
        Story("owned", kind: .purchase, at: 1, Facts(transactions: [transaction(1, 0, nil)])),
        Story("a pass", kind: .purchase, at: 1, Facts(transactions: [transaction(1, 0, nil, product: "pass")])),
        Story(
            "a consumable", kind: .purchase, at: 1,
            Facts(transactions: [transaction(1, 0, nil, product: "pass") { $0.productType = "Consumable" }])),
    ]

    /// What `all` are encoded as, after format and fingerprint, in Base64.
    static let rows = [
        "B4DwxoS+ZwEoY29tLmV4YW1wbGUubmV3c3BhcGVyLmV2ZXJ5dGhpbmcubW9udGhseQIACB6AoubbCAMU",
        "B4DwxoS+ZwEoY29tLmV4YW1wbGUubmV3c3BhcGVyLmV2ZXJ5dGhpbmcubW9udGhseQIACB2A6K7YCAMU",
        "B4CIi4zPZwIoY29tLmV4YW1wbGUubmV3c3BhcGVyLmV2ZXJ5dGhpbmcubW9udGhseQViYXNpYwMACB6A3MwUCC6AyrLXCQMk",
        "B4DApLXPZwEoY29tLmV4YW1wbGUubmV3c3BhcGVyLmV2ZXJ5dGhpbmcubW9udGhseQMACRqAgJeTBQIYgKDflA4DFA==",
        "B4CQ+PLBZwEoY29tLmV4YW1wbGUubmV3c3BhcGVyLmV2ZXJ5dGhpbmcubW9udGhseQEABBE=",
        "B4CQ4d+8ZwEoY29tLmV4YW1wbGUubmV3c3BhcGVyLmV2ZXJ5dGhpbmcubW9udGhseQEADRw=",
        "B4CQ4d+8ZwEEcGFzcwIADRyA0Jj3AQUU",
        "B4CQ4d+8ZwEEcGFzcwEABRk=",
    ]
}
