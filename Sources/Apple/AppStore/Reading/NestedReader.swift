import Subscriptions

/// Opens the JWS that came with another payload: inside a notification, or beside a transaction. Each goes through the
/// whole verification on its own, and is held against what it came with.
struct NestedReader {
    let verifier: PayloadVerifier
    let app: AppIdentity
    let environment: AppStoreEnvironment
    let now: Moment

    func transaction(_ jws: ArraySlice<UInt8>) async throws(Rejection) -> (TransactionInfo, PayloadDigest) {
        let (transaction, content) = try await self.open(jws, as: TransactionInfo.self)
        try self.check(transaction.claimedIdentity)
        return (transaction, content)
    }

    func renewal(_ jws: ArraySlice<UInt8>) async throws(Rejection) -> (RenewalInfo, PayloadDigest) {
        let (renewal, content) = try await self.open(jws, as: RenewalInfo.self)
        try self.check(
            ClaimedIdentity(
                bundleID: self.app.bundleID, environment: renewal.environment, carriesAppAppleID: false))
        return (renewal, content)
    }

    func appTransaction(_ jws: ArraySlice<UInt8>) async throws(Rejection) -> (AppTransaction, PayloadDigest) {
        let (transaction, content) = try await self.open(jws, as: AppTransaction.self)
        try self.check(transaction.claimedIdentity)
        return (transaction, content)
    }

    /// What fails for good inside an authentic notification makes it a misfit; Apple was right to send the rest.
    private func open<Content: SignedPayload>(
        _ jws: ArraySlice<UInt8>, as kind: Content.Type
    ) async throws(Rejection) -> (Content, PayloadDigest) {
        let verified: VerifiedPayload<Content>
        do throws(VerificationFailure) {
            verified = try await self.verifier.verify(jws, as: kind, now: self.now)
            try verified.checkRoot(of: self.app)
        } catch {
            guard !error.isRetryable else { throw .refused(error) }
            throw .misfit(.nestedInvalid, error.class, "a nested payload is refused: \(error.detail)")
        }
        return (try verified.content(), verified.contentDigest)
    }

    private func check(_ identity: ClaimedIdentity) throws(Rejection) {
        guard identity.bundleID == self.app.bundleID else {
            throw .misfit(.nestedMismatch, .invalidAppIdentifier, "a nested payload is of another app")
        }
        guard identity.environment == self.environment else {
            throw .misfit(.nestedMismatch, .invalidEnvironment, "a nested payload is of another environment")
        }
        // Sandbox knows no appAppleId.
        guard
            !identity.carriesAppAppleID || self.environment != .production
                || identity.appAppleID == self.app.appAppleID
        else {
            throw .misfit(.nestedMismatch, .invalidAppIdentifier, "a nested payload names another appAppleId")
        }
    }
}
