import AppStore
import AppStoreSimulator
import ByteCoding
import Foundation
import Subscriptions
import Testing
import X509

/// Chain cases of Apple's library suites and beyond.
@Suite struct ChainTests {
    let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    /// An authority that differs from the good one in its profiles, with its root configured.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var root = CertificateProfile.root
        var intermediate = CertificateProfile.intermediate
        var leaf = CertificateProfile.leaf
        let expected: VerificationFailure.Class?
    }

    static let cases: [Case] = [
        Case(testDescription: "a good chain", expected: nil),
        Case(
            testDescription: "the intermediate lacks its marker", intermediate: .intermediate.with { $0.markers = [] },
            expected: .verificationFailure),
        Case(
            testDescription: "the leaf lacks its marker", leaf: .leaf.with { $0.markers = [] },
            expected: .verificationFailure),
        Case(
            testDescription: "the markers are swapped",
            intermediate: .intermediate.with { $0.markers = CertificateProfile.leaf.markers },
            leaf: .leaf.with { $0.markers = CertificateProfile.intermediate.markers }, expected: .verificationFailure),
        Case(
            testDescription: "the intermediate is no CA",
            intermediate: .intermediate.with {
                $0.isAuthority = false
                $0.pathLength = nil
            }, expected: .verificationFailure),
        Case(
            testDescription: "the root allows no intermediate", root: .root.with { $0.pathLength = 0 },
            expected: .verificationFailure),
        Case(
            testDescription: "the intermediate may not sign certificates",
            intermediate: .intermediate.with { $0.usage = .digitalSignature }, expected: .verificationFailure),
        Case(
            testDescription: "the root may not sign certificates", root: .root.with { $0.usage = .digitalSignature },
            expected: .verificationFailure),
        Case(
            testDescription: "the leaf may not sign payloads", leaf: .leaf.with { $0.usage = .keyCertSign },
            expected: .verificationFailure),
        Case(
            testDescription: "the leaf is on P-384", leaf: .leaf.with { $0.key = .p384 }, expected: .verificationFailure
        ),
        Case(
            testDescription: "the leaf has an RSA key",
            leaf: .leaf.with { $0.key = .subjectPublicKeyInfo(Self.rsaKey) },
            expected: .verificationFailure),
        Case(
            testDescription: "an unknown critical extension in the leaf",
            leaf: .leaf.with { $0.hasUnknownCriticalExtension = true }, expected: .verificationFailure),
        Case(
            testDescription: "an unknown critical extension in the intermediate",
            intermediate: .intermediate.with { $0.hasUnknownCriticalExtension = true }, expected: .verificationFailure),
        Case(
            testDescription: "an unknown critical extension in the root",
            root: .root.with { $0.hasUnknownCriticalExtension = true }, expected: .verificationFailure),
        Case(
            testDescription: "a P-256 intermediate", intermediate: .intermediate.with { $0.key = .p256 }, expected: nil),
        Case(testDescription: "a leaf of 4 KB", leaf: .leaf.with { $0.ballast = 4_096 }, expected: .invalidCertificate),
        Case(
            testDescription: "a leaf of 500 KB", leaf: .leaf.with { $0.ballast = 500_000 },
            expected: .invalidCertificate),
        Case(
            testDescription: "the leaf had expired", leaf: .leaf.with { $0.notAfter = 1_699_999_999_000 },
            expected: .verificationFailure),
        Case(
            testDescription: "the leaf expires in that very second",
            leaf: .leaf.with { $0.notAfter = 1_700_000_000_000 },
            expected: nil),
        Case(
            testDescription: "the leaf was not valid yet", leaf: .leaf.with { $0.notBefore = 1_700_000_001_000 },
            expected: .verificationFailure),
        Case(
            testDescription: "the intermediate had expired",
            intermediate: .intermediate.with { $0.notAfter = 1_699_999_999_000 }, expected: .verificationFailure),
        Case(
            testDescription: "the root had expired", root: .root.with { $0.notAfter = 1_699_999_999_000 },
            expected: .verificationFailure),
        Case(
            testDescription: "a leaf whose validity is empty",
            leaf: .leaf.with {
                $0.notBefore = 1_700_000_001_000
                $0.notAfter = 1_699_999_999_000
            }, expected: .verificationFailure),
    ]

    @Test(arguments: Self.cases)
    func judges(_ test: Case) async throws {
        let authority = try CertificateAuthority.make(
            seed: 2, root: test.root, intermediate: test.intermediate, leaf: test.leaf)
        let store = try TestStore(authority: authority)
        #expect(try await store.refusal(of: store.sign(.transaction)) == test.expected)
    }

    @Test(arguments: [
        ([0, 1], VerificationFailure.Class.invalidChainLength), ([0], .invalidChainLength),
        ([0, 1, 2, 2], .invalidChainLength),
        ([], .invalidJWTFormat), ([1, 0, 2], .verificationFailure), ([2, 1, 0], .verificationFailure),
        ([0, 2, 1], .verificationFailure), ([0, 0, 0], .verificationFailure),
    ])
    func countAndOrder(_ order: [Int], _ expected: VerificationFailure.Class) async throws {
        let signer = PayloadSigner(
            chain: order.map { self.store.authority.chain[$0] }, key: self.store.authority.leafKey)
        #expect(try await self.store.refusal(of: signer.sign(Payload.transaction.bytes)) == expected)
    }

    @Test func anotherRootIsConfigured() async throws {
        let stranger = try TestStore(authority: .make(seed: 3))
        #expect(try await self.store.refusal(of: stranger.sign(.transaction)) == .verificationFailure)
    }

    @Test func ownAuthorityInPlaceOfTheRoot() async throws {
        // Same names, same markers, all signatures good: only the root is not the configured one.
        let forger = try CertificateAuthority.make(seed: 4)
        #expect(forger.root.certificate.subject == self.store.authority.root.certificate.subject)
        #expect(try await self.store.refusal(of: forger.signer.sign(Payload.transaction.bytes)) == .verificationFailure)
    }

    @Test func theThirdCertificateIsNotTrusted() async throws {
        let chain = [
            self.store.authority.leaf.der, self.store.authority.intermediate.der, self.store.authority.leaf.der,
        ]
        let signer = PayloadSigner(chain: chain, key: self.store.authority.leafKey)
        #expect(try await self.store.refusal(of: signer.sign(Payload.transaction.bytes)) == nil)
    }

    @Test func theLeafIsNoAuthority() async throws {
        let authority = self.store.authority
        let forged = try authority.issue(.leaf.with { $0.commonName = "Forged" }, by: authority.leaf)
        let key = try CertificateAuthority.make(seed: 1, leaf: .leaf.with { $0.commonName = "Forged" }).leafKey
        for chain in [
            [forged.der, authority.leaf.der, authority.intermediate.der],
            [forged.der, authority.intermediate.der, authority.root.der],
        ] {
            let jws = try PayloadSigner(chain: chain, key: key).sign(Payload.transaction.bytes)
            #expect(try await self.store.refusal(of: jws) == .verificationFailure)
        }
    }

    @Test func theRootMayNotSignTheLeafItself() async throws {
        let authority = self.store.authority
        let leaf = try authority.issue(.leaf, by: authority.root)
        let jws = try PayloadSigner(
            chain: [leaf.der, authority.intermediate.der, authority.root.der], key: authority.leafKey
        )
        .sign(Payload.transaction.bytes)
        #expect(try await self.store.refusal(of: jws) == .verificationFailure)
    }

    @Test func aSignatureHasWholeBytes() async throws {
        // given a leaf whose signature ends in a zero bit
        let authority = self.store.authority
        var leaf: [UInt8]
        repeat { leaf = try authority.issue(.leaf, by: authority.intermediate).der } while leaf[leaf.count - 1] & 1 == 1
        // when the BIT STRING around it declares that bit unused
        let sequence = try #require(
            leaf.indices.suffix(120).first { leaf[$0] == 0x30 && $0 + 2 + Int(leaf[$0 + 1]) == leaf.count })
        leaf[sequence - 1] = 1
        // then it is not taken, although it is the same signature
        let signer = PayloadSigner(
            chain: [leaf, authority.intermediate.der, authority.root.der], key: authority.leafKey)
        #expect(try await self.store.refusal(of: signer.sign(Payload.transaction.bytes)) == .invalidCertificate)
    }

    @Test(
        arguments: [
            "abc", "AAAA=", "not base64 at all!", "YWJj", "",
            "-_-_",  // base64url where base64 belongs
        ], [0, 1, 2])
    func entriesThatAreNoCertificates(_ entry: String, position: Int) async throws {
        var entries = self.store.authority.chain.map { String(decoding: Base64.standard.encode($0), as: UTF8.self) }
        entries[position] = entry
        let header = "{\"alg\":\"ES256\",\"x5c\":[\(entries.map { "\"\($0)\"" }.joined(separator: ","))]}"
        let jws = try PayloadSigner(header: Array(header.utf8), key: self.store.authority.leafKey).sign(
            Payload.transaction.bytes)
        #expect(try await self.store.refusal(of: jws) == .invalidCertificate)
    }

    @Test func theEffectiveDateDecidesWhateverTodayIs() async throws {
        let tooLate = try self.store.sign(.transaction.with("signedDate", "2280946846000"))
        #expect(try await self.store.refusal(of: tooLate) == .verificationFailure)
        let tooEarly = try self.store.sign(.transaction.with("signedDate", "1500000000000"))
        #expect(try await self.store.refusal(of: tooEarly) == .verificationFailure)
        let inSeconds = try self.store.sign(.transaction.with("signedDate", "1700000000"))
        #expect(try await self.store.refusal(of: inSeconds) == .verificationFailure)
        let long = Moment(milliseconds: 2_280_946_846_000)
        #expect(try await self.store.refusal(of: self.store.sign(.transaction), now: long) == nil)
        let undated = try self.store.sign(.transaction.with("signedDate", nil))
        #expect(try await self.store.refusal(of: undated) == nil)
        #expect(try await self.store.refusal(of: undated, now: long) == .verificationFailure)
    }

    @Test func aKnownChainIsStillHeldAgainstEachDate() async throws {
        let inspector = try PayloadInspector(app: self.store.app)
        _ = try await inspector.inspect(self.store.sign(.transaction), as: .transaction, now: TestStore.now)
        let late = try self.store.sign(.transaction.with("signedDate", "2280946846000"))
        let failure = await #expect(throws: VerificationFailure.self) {
            try await inspector.inspect(late, as: .transaction, now: TestStore.now)
        }
        #expect(failure?.class == .verificationFailure)
    }

    @Test func aKnownChainDoesNotVouchForOtherSignatures() async throws {
        let inspector = try PayloadInspector(app: self.store.app)
        let good = try self.store.sign(.transaction)
        _ = try await inspector.inspect(good, as: .transaction, now: TestStore.now)
        var forged = Segments(good)
        forged.payload = Segments.encode(Payload.transaction.with("productId", "\"pro.yearly\"").json)
        let failure = await #expect(throws: VerificationFailure.self) {
            try await inspector.inspect(forged.jws, as: .transaction, now: TestStore.now)
        }
        #expect(failure?.class == .verificationFailure)
    }

    @Test func manyChainsAtOnce() async throws {
        let authorities = try (10..<14).map { try CertificateAuthority.make(seed: $0) }
        let apps = try authorities.enumerated().map { index, authority in
            try AppIdentity(
                bundleID: BundleID(rawValue: "com.example.app\(index)"), appAppleID: 1, environments: [.production],
                roots: [TrustedRoot(authority.root.der)])
        }
        let directory = try AppDirectory(apps)
        let reader = TransactionReader(verifier: PayloadVerifier(apps: directory), apps: directory)
        let signed = try authorities.enumerated().map { index, authority in
            try authority.signer.sign(Payload.transaction.with("bundleId", "\"com.example.app\(index)\"").bytes)
        }
        try await withThrowingTaskGroup(of: StreamKey.self) { group in
            for round in 0..<64 {
                group.addTask { try await reader.read(signedTransaction: signed[round % 4], now: TestStore.now).0 }
            }
            var bundles: [BundleID: Int] = [:]
            for try await key in group { bundles[key.bundleID, default: 0] += 1 }
            #expect(bundles.values.sorted() == [16, 16, 16, 16])
        }
    }

    @Test func aRootVouchesOnlyForTheAppsThatTrustIt() async throws {
        let (ours, theirs) = (try CertificateAuthority.make(seed: 20), try CertificateAuthority.make(seed: 21))
        let directory = try AppDirectory([
            AppIdentity(
                bundleID: BundleID(rawValue: "com.example.app"), appAppleID: 1_234_567_890, environments: [.production],
                roots: [TrustedRoot(ours.root.der)]),
            AppIdentity(
                bundleID: BundleID(rawValue: "com.example.other"), appAppleID: 2, environments: [.production],
                roots: [TrustedRoot(theirs.root.der)]),
        ])
        let reader = TransactionReader(verifier: PayloadVerifier(apps: directory), apps: directory)
        let jws = try theirs.signer.sign(Payload.transaction.bytes)
        let failure = await #expect(throws: ReadingFailure.self) {
            try await reader.read(signedTransaction: jws, now: TestStore.now)
        }
        #expect(failure?.class == .verificationFailure)
    }

    static let rsaKey = [UInt8](
        Data(
            base64Encoded: """
                MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApKAHIEt37/HwUVcyN37Xsjy6QZjblkhXH+JCBqsjlVWmskMvUJIvbZEI\
                9Dl1hxMNhznE6qE9hfeBnk7V/Lu5yjvbp0PzrJjFqWKUVQGjmbF4g/R7cQqgU8gU65AyZUhrDvkLq3oPGXXZYvy0yXn03qAmgWKS\
                bMuEFWmHt7FECaLH/Vpd75CeTww28V2ig2DIb7yzl2kR4QWs1Y3sH3pzSFNs0iwIWIDV4GrBvBWuty1cmTDU8o5kbshTTGAz8dET\
                rZ9ScpWC2RR/7WyG4rN0IC/034rBKTQSgL65kLMJlyI6pA+AODIF/3rdzEPca5GNzKCK09EO6PGnOthexOctQQIDAQAB
                """)!)
}
