package import ByteCoding
package import Subscriptions

/// What a notification is to us, once its signature holds.
package enum NotificationReading: Sendable {
    case bundle(StreamKey, FactBundle)
    /// Authentic but not for us: kept aside and answered with 200. `reason` is a `QuarantineReason`; `detail` a
    /// sentence for people, without payload content.
    case quarantine(reason: String, detail: String)
}

/// Reads notifications: verifies the three signatures, binds the nested payloads to their envelope, and says which
/// stream is concerned.
package struct NotificationReader: Sendable {
    private let verifier: PayloadVerifier
    /// For what is nested: Apple has signed around it.
    private let nested: PayloadVerifier
    private let apps: AppDirectory

    package init(verifier: PayloadVerifier, apps: AppDirectory) {
        self.verifier = verifier
        self.nested = verifier.with(nil)
        self.apps = apps
    }

    /// For notifications that Apple was asked for.
    package var ofAnswers: NotificationReader { NotificationReader(verifier: self.nested, apps: self.apps) }

    /// As `PayloadVerifier.learn`.
    package func learn(headers: [[UInt8]]) async { await self.verifier.learn(headers) }

    /// On whose threads a payload belongs; cheap.
    package func standing(of signedPayload: [UInt8]) -> HeaderStanding { self.verifier.standing(of: signedPayload) }

    /// - Parameters:
    ///   - signedPayload: the compact JWS.
    ///   - latest: as late as it may be where `now` is doubtful.
    /// - Throws: `.refused` when the outer payload is forged or malformed, or cannot be decided now (`isRetryable`);
    ///   `.clockSkew`.
    package func read(
        _ signedPayload: [UInt8], now: Moment, latest: Moment? = nil
    ) async throws(ReadingFailure) -> NotificationReading {
        try await self.open(signedPayload, now: now, latest: latest).reading
    }

    /// The same, and what was split and decoded for it.
    /// - Returns: `original` is nil where it has to be kept as the text that came.
    package func open(
        _ signedPayload: [UInt8], now: Moment, latest: Moment? = nil
    ) async throws(ReadingFailure) -> (reading: NotificationReading, original: DecodedJWS?) {
        let payload: VerifiedPayload<NotificationEnvelope>
        let key: StreamKey
        let bundle: FactBundle
        do throws(Rejection) {
            (payload, key, bundle) = try await self.interpret(signedPayload, now: now)
        } catch {
            guard let reason = error.quarantine else { throw .refused(error.failure) }
            return (.quarantine(reason: reason.rawValue, detail: error.failure.detail), nil)
        }
        try bundle.checkSkew(latest: latest ?? now)
        return (.bundle(key, bundle), payload.original)
    }

    func interpret(
        _ signedPayload: [UInt8], now: Moment
    ) async throws(Rejection) -> (payload: VerifiedPayload<NotificationEnvelope>, StreamKey, FactBundle) {
        let (payload, content, app, environment) = try await self.verifier.verify(
            signedPayload, as: NotificationEnvelope.self, for: self.apps, now: now)
        let nested = NestedReader(verifier: self.nested, app: app, environment: environment, now: now)
        let (key, bundle) = try await BundleAssembly(content, payload.contentDigest, nested).bundle()
        return (payload, key, bundle)
    }
}
