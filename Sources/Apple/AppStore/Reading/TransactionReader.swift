import ByteCoding
import StrictJSON
package import Subscriptions

/// Reads what a backend posts after a purchase: a signed transaction, perhaps with its renewal info.
package struct TransactionReader: Sendable {
    private let verifier: PayloadVerifier
    private let apps: AppDirectory

    package init(verifier: PayloadVerifier, apps: AppDirectory) {
        self.verifier = verifier
        self.apps = apps
    }

    /// Trusts what this one trusts.
    package var answers: AnswerReader { AnswerReader(verifier: self.verifier, apps: self.apps) }

    /// On whose threads a payload belongs; cheap.
    package func standing(of signedTransaction: [UInt8]) -> HeaderStanding {
        self.verifier.standing(of: signedTransaction)
    }

    /// - Parameter latest: as late as it may be where `now` is doubtful.
    /// - Throws: `.refused` when either is forged, malformed, not of a configured app and environment, or when they do
    ///   not belong together: what a client sends is never put into quarantine. `.clockSkew` as for notifications.
    package func read(
        signedTransaction: [UInt8], signedRenewalInfo: [UInt8]? = nil, link: LinkRequest? = nil, now: Moment,
        latest: Moment? = nil
    ) async throws(ReadingFailure) -> (StreamKey, FactBundle) {
        let key: StreamKey
        let bundle: FactBundle
        do throws(Rejection) {
            (key, bundle) = try await self.interpret(
                signedTransaction, signedRenewalInfo, link: link, now: now)
        } catch {
            throw .refused(error.failure)
        }
        try bundle.checkSkew(latest: latest ?? now)
        return (key, bundle)
    }

    /// The `appTransactionId` of a device's signed app transaction; nil where Apple names none, as in those of old versions.
    /// - Throws: `.refused`, as `read`.
    package func readAppTransaction(_ jws: [UInt8], now: Moment) async throws(ReadingFailure) -> String? {
        do throws(Rejection) {
            return try await self.verifier.verify(jws, as: AppTransaction.self, for: self.apps, now: now)
                .content.appTransactionID
        } catch {
            throw .refused(error.failure)
        }
    }

    /// The `originalTransactionId` in the payload of a signed transaction or renewal info, unverified: use it only to pair the two. nil where
    /// the payload has none.
    package static func claimedID(in jws: [UInt8]) -> String? {
        guard let payload = CompactJWS(jws[...]).flatMap({ Base64.url.decode($0.payload) }) else { return nil }
        return try? Self.originalTransactionID(in: payload)
    }

    private static func originalTransactionID(in payload: [UInt8]) throws(JSONError) -> String? {
        var json = JSONScanner(payload)
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "originalTransactionId": return try json.text(maximumBytes: 128)
            default: try json.skip()
            }
        }
        return nil
    }

    private func interpret(
        _ signedTransaction: [UInt8], _ signedRenewalInfo: [UInt8]?, link: LinkRequest?, now: Moment
    ) async throws(Rejection) -> (StreamKey, FactBundle) {
        let opened = try await self.verifier.verify(
            signedTransaction, as: TransactionInfo.self, for: self.apps, now: now)
        var facts = Facts(transactions: [opened.content])
        var contents = [opened.payload.contentDigest]
        if let signedRenewalInfo {
            let nested = NestedReader(
                verifier: self.verifier, app: opened.app, environment: opened.environment, now: now)
            let (renewal, content) = try await nested.renewal(signedRenewalInfo[...])
            facts.renewal = renewal
            contents.append(content)
        }
        let content = PayloadDigest(combining: contents)
        let bundle = FactBundle(
            facts: facts, source: .client, dedupKey: content.bytes, contentDigest: content,
            signedDate: facts.newestSignedDate ?? opened.content.signedDate, link: link)
        return (try facts.key(bundleID: opened.app.bundleID), bundle)
    }
}
