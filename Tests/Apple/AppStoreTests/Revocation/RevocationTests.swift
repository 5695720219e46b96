import AppStore
import AppStoreSimulator
import ByteCoding
import Subscriptions
import Synchronization
import Testing

/// OCSP, with time given by the test.
@Suite struct RevocationTests {
    static let url = "http://ocsp.example.com/"
    static let authority = Result {
        try CertificateAuthority.make(
            seed: 30, intermediate: .intermediate.with { $0.ocspURL = Self.url },
            leaf: .leaf.with { $0.ocspURL = Self.url })
    }

    let store: TestStore
    let responder: OCSPResponder
    let inspector: PayloadInspector
    let now = TestStore.now

    init() throws {
        let authority = try Self.authority.get()
        self.store = try TestStore(authority: authority)
        self.responder = OCSPResponder(authority: authority, script: OCSPScript(now: TestStore.now))
        self.inspector = try PayloadInspector(
            app: self.store.app, revocation: RevocationChecker(transport: self.responder))
    }

    private func refusal(
        _ change: (inout OCSPScript) -> Void = { _ in }, at moment: Moment? = nil
    ) async throws -> VerificationFailure.Class? {
        self.responder.script.withLock { change(&$0) }
        do {
            _ = try await self.inspector.inspect(
                self.store.sign(.transaction), as: .transaction, now: moment ?? self.now)
            return nil
        } catch let failure as VerificationFailure {
            return failure.class
        }
    }

    @Test func goodAnswersLetPass() async throws {
        #expect(try await self.refusal() == nil)
        #expect(self.responder.questions == 2)  // leaf and intermediate
    }

    @Test(arguments: [OCSPScript.Status.revoked, .unknown])
    func otherAnswersDoNot(_ status: OCSPScript.Status) async throws {
        #expect(try await self.refusal { $0.status = status } == .verificationFailure)
    }

    @Test func answersOfAnotherTimeDoNot() async throws {
        let now = self.now
        #expect(try await self.refusal { $0.nextUpdate = now - .seconds(1) } == .verificationFailure)
        #expect(try await self.refusal { $0.nextUpdate = nil } == .verificationFailure)
        #expect(
            try await self.refusal {
                $0.thisUpdate = now + .seconds(1)
                $0.nextUpdate = now + .hours(1)
            } == .verificationFailure)
        #expect(
            try await self.refusal {
                $0.thisUpdate = now
                $0.nextUpdate = now
            } == nil)
    }

    @Test func answersAboutOtherCertificatesDoNot() async throws {
        #expect(try await self.refusal { $0.answersAboutOthers = true } == .verificationFailure)
    }

    @Test func aSignatureHasWholeBytes() async throws {
        #expect(try await self.refusal { $0.declaresUnusedBit = true } == .retryableVerificationFailure)
    }

    @Test func answersOfOtherSignersDoNot() async throws {
        let stranger = try CertificateAuthority.make(seed: 31)
        #expect(try await self.refusal { $0.isAltered = true } == .verificationFailure)
        #expect(
            try await self.refusal {
                $0.isAltered = false
                $0.signer = stranger.intermediate
                $0.certificates = [stranger.intermediate]
            } == .verificationFailure)
        let leaf = self.store.authority.leaf  // issued by the intermediate, but for other work
        #expect(
            try await self.refusal {
                $0.signer = leaf
                $0.certificates = [leaf]
            } == .verificationFailure)
    }

    @Test(arguments: [
        (true, true, nil as VerificationFailure.Class?), (false, true, .verificationFailure),
        (true, false, .verificationFailure),
    ])
    func delegatesMustBeMadeForIt(
        _ signsOCSP: Bool, isBroughtAlong: Bool, _ expected: VerificationFailure.Class?
    ) async throws {
        // One delegate cannot speak for two issuers: the leaf's is a delegate, the intermediate's the root itself.
        let authority = self.store.authority
        let profile = CertificateProfile.leaf.with {
            $0.commonName = "Responder"
            $0.signsOCSP = signsOCSP
            $0.markers = []
        }
        let (ofLeaf, ofIntermediate) = (
            try authority.issue(profile, by: authority.intermediate), try authority.issue(profile, by: authority.root)
        )
        let refusal = try await self.refusal {
            $0.signer = ofLeaf
            $0.certificates = isBroughtAlong ? [ofLeaf, ofIntermediate] : []
        }
        #expect(refusal == expected)
    }

    @Test func expiredDelegatesDoNot() async throws {
        let authority = self.store.authority
        let expired = try authority.issue(
            .leaf.with {
                $0.commonName = "Responder"
                $0.signsOCSP = true
                $0.notAfter = 1_699_000_000_000
            }, by: authority.intermediate)
        #expect(
            try await self.refusal {
                $0.signer = expired
                $0.certificates = [expired]
            } == .verificationFailure)
    }

    @Test func respondersThatCannotAnswerAreAskedAgain() async throws {
        #expect(try await self.refusal { $0.responseStatus = 3 } == .retryableVerificationFailure)
        #expect(try await self.refusal { $0.responseStatus = 0 } == nil)
    }

    @Test func whoWaitsForASilentResponderFailsWithTheOthers() async throws {
        let responder = SilentResponder()
        let checker = RevocationChecker(transport: responder)
        let inspector = try PayloadInspector(app: self.store.app, revocation: checker)
        let (jws, now) = (try self.store.sign(.transaction), self.now)
        let failures = try await withThrowingTaskGroup(of: VerificationFailure.Class?.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do throws(VerificationFailure) {
                        _ = try await inspector.inspect(jws, as: .transaction, now: now)
                        return nil
                    } catch { return error.class }
                }
            }
            while checker.waiting < 8 || responder.questions < 4 { await Task.yield() }
            responder.giveUp()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures == Array(repeating: .retryableVerificationFailure, count: 12))
        #expect(responder.questions == 4)
        // Whoever comes later asks again.
        await #expect(throws: VerificationFailure.self) {
            try await inspector.inspect(jws, as: .transaction, now: now)
        }
        #expect(responder.questions == 5)
    }

    @Test func certificatesWithoutResponderFail() async throws {
        let store = try TestStore.shared.get()
        let inspector = try PayloadInspector(app: store.app, revocation: RevocationChecker(transport: self.responder))
        let failure = await #expect(throws: VerificationFailure.self) {
            try await inspector.inspect(store.sign(.transaction), as: .transaction, now: self.now)
        }
        #expect(failure?.class == .verificationFailure)
    }

    @Test func certificatesAreJudgedAtThePresent() async throws {
        #expect(try await self.refusal(at: Moment(milliseconds: 2_280_946_846_000)) == .verificationFailure)
        #expect(self.responder.questions == 0)
    }

    @Test func forgedPayloadsCostNoQuestion() async throws {
        var forged = Segments(try self.store.sign(.transaction))
        forged.payload = Segments.encode(Payload.transaction.with("price", "0").json)
        await #expect(throws: VerificationFailure.self) {
            try await self.inspector.inspect(forged.jws, as: .transaction, now: self.now)
        }
        #expect(self.responder.questions == 0)
    }

    // MARK: Cache

    @Test func anAnswerHoldsForFifteenMinutes() async throws {
        #expect(try await self.refusal() == nil)
        #expect(try await self.refusal(at: self.now + .seconds(1)) == nil)
        #expect(try await self.refusal(at: self.now + .seconds(900) - Milliseconds(rawValue: 1)) == nil)
        #expect(self.responder.questions == 2)
        #expect(try await self.refusal(at: self.now + .seconds(900)) == nil)
        #expect(self.responder.questions == 4)
    }

    @Test func failuresAreNotKept() async throws {
        #expect(try await self.refusal { $0.status = .revoked } == .verificationFailure)
        #expect(try await self.refusal { $0.status = .good } == nil)
    }

    @Test func chainsThatDifferInOneCertificateAreAskedSeparately() async throws {
        #expect(try await self.refusal() == nil)
        let authority = self.store.authority
        let chain = [authority.leaf.der, authority.intermediate.der, authority.leaf.der]
        let jws = try PayloadSigner(chain: chain, key: authority.leafKey).sign(Payload.transaction.bytes)
        _ = try await self.inspector.inspect(jws, as: .transaction, now: self.now)
        #expect(self.responder.questions == 4)
        _ = try await self.inspector.inspect(jws, as: .transaction, now: self.now)
        #expect(self.responder.questions == 4)
    }

    @Test func anotherHeaderWithTheSameChainIsNotAsked() async throws {
        #expect(try await self.refusal() == nil)
        let entries = self.store.authority.chain.map {
            "\"\(String(decoding: Base64.standard.encode($0), as: UTF8.self))\""
        }
        let header = "{\"x5c\":[\(entries.joined(separator: ","))],\"alg\":\"ES256\"}"
        let jws = try PayloadSigner(header: Array(header.utf8), key: self.store.authority.leafKey)
            .sign(Payload.transaction.bytes)
        _ = try await self.inspector.inspect(jws, as: .transaction, now: self.now)
        #expect(self.responder.questions == 2)
    }

    @Test func expiredAnswersAreDropped() async throws {
        // 40 chains in as many moments, all but the last long expired: the first has to be asked about again.
        let checker = RevocationChecker(transport: self.responder)
        let inspector = try PayloadInspector(app: self.store.app, revocation: checker)
        let authority = self.store.authority
        for index in 0..<40 {
            let third = [UInt8](try CertificateAuthority.make(seed: UInt64(100 + index)).root.der)
            let jws = try PayloadSigner(
                chain: [authority.leaf.der, authority.intermediate.der, third], key: authority.leafKey
            )
            .sign(Payload.transaction.bytes)
            self.responder.script.withLock { $0 = OCSPScript(now: self.now + .hours(Int64(index))) }
            _ = try await inspector.inspect(jws, as: .transaction, now: self.now + .hours(Int64(index)))
        }
        #expect(self.responder.questions == 80)
        #expect(checker.rememberedAnswers <= 32)
    }
}
