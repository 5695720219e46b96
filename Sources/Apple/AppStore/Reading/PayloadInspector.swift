package import Subscriptions

/// What `verify` may be asked to look at.
package enum PayloadKind: String, Sendable, CaseIterable {
    case notification, transaction, renewal
    case appTransaction = "app-transaction"
}

/// Verifies single payloads for people: accepts and refuses as Apple's libraries do, and checks the kind as well.
package struct PayloadInspector: Sendable {
    private let apps: AppDirectory
    private let app: AppIdentity
    private let verifier: PayloadVerifier

    package init(app: AppIdentity, revocation: RevocationChecker? = nil) throws(AppStoreConfigurationError) {
        self.app = app
        self.apps = try AppDirectory([app])
        self.verifier = PayloadVerifier(apps: self.apps, revocation: revocation)
    }

    /// - Returns: the payload's JSON, as it was signed.
    /// - Throws: the class of the first check that fails; in a notification also those of its nested payloads.
    package func inspect(_ jws: [UInt8], as kind: PayloadKind, now: Moment) async throws(VerificationFailure) -> [UInt8]
    {
        do throws(Rejection) {
            switch kind {
            case .notification:
                let reader = NotificationReader(verifier: self.verifier, apps: self.apps)
                return try await reader.interpret(jws, now: now).payload.json
            case .transaction:
                return try await self.verifier.verify(jws, as: TransactionInfo.self, for: self.apps, now: now)
                    .payload.json
            case .appTransaction:
                return try await self.verifier.verify(jws, as: AppTransaction.self, for: self.apps, now: now)
                    .payload.json
            case .renewal: return try await self.renewal(jws, now: now)
            }
        } catch {
            throw error.failure
        }
    }

    /// Names no app; the environment alone can be wrong.
    private func renewal(_ jws: [UInt8], now: Moment) async throws(Rejection) -> [UInt8] {
        let verified: VerifiedPayload<RenewalInfo>
        do throws(VerificationFailure) {
            verified = try await self.verifier.verify(jws[...], as: RenewalInfo.self, now: now)
        } catch {
            throw .refused(error)
        }
        let identity = ClaimedIdentity(
            bundleID: self.app.bundleID, environment: try verified.content().environment, carriesAppAppleID: false)
        _ = try identity.app(in: self.apps)
        return verified.json
    }
}
