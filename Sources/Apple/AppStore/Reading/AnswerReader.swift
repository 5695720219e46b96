package import Subscriptions

/// Reads the signed items of Server API answers: each goes through the verification that notifications go through, and
/// must be of the account that was asked.
package struct AnswerReader: Sendable {
    private let verifier: PayloadVerifier
    private let apps: AppDirectory

    package init(verifier: PayloadVerifier, apps: AppDirectory) {
        self.verifier = verifier.with(nil)
        self.apps = apps
    }

    /// An item of a statuses answer. Its number is not signed: it counts as of the renewal info's signedDate, and only
    /// until a newer transaction is known; without a renewal info it is left out.
    /// - Parameter latest: as late as it may be where `now` is doubtful.
    /// - Throws: `.refused` when a signed string is forged, malformed or of another app or environment, when the two
    ///   are not of the subscription that the item names, and when there is none; `.clockSkew` as for notifications.
    package func read(
        _ item: SubscriptionStatuses.Item, of account: ServerAPIAccount, now: Moment, latest: Moment? = nil
    ) async throws(ReadingFailure) -> (StreamKey, FactBundle) {
        try await self.checked(latest: latest ?? now) { () async throws(Rejection) in
            try await self.interpret(item, of: account, now: now)
        }
    }

    /// A transaction of a history answer, or of any other that holds signed transactions.
    /// - Throws: as for an item.
    package func read(
        historyTransaction: SignedString, of account: ServerAPIAccount, now: Moment, latest: Moment? = nil
    ) async throws(ReadingFailure) -> (StreamKey, FactBundle) {
        try await self.checked(latest: latest ?? now) { () async throws(Rejection) in
            let nested = try self.nested(account, now: now)
            let (transaction, content) = try await nested.transaction(historyTransaction.jws[...])
            let facts = Facts(transactions: [transaction])
            let bundle = Self.bundle(facts, .history, [content], asOf: transaction.signedDate)
            return (try facts.key(bundleID: account.bundleID), bundle)
        }
    }

    private func checked(
        latest: Moment, _ interpret: () async throws(Rejection) -> (StreamKey, FactBundle)
    ) async throws(ReadingFailure) -> (StreamKey, FactBundle) {
        let key: StreamKey
        let bundle: FactBundle
        do throws(Rejection) {
            (key, bundle) = try await interpret()
        } catch {
            throw .refused(error.failure)
        }
        try bundle.checkSkew(latest: latest)
        return (key, bundle)
    }

    private func interpret(
        _ item: SubscriptionStatuses.Item, of account: ServerAPIAccount, now: Moment
    ) async throws(Rejection) -> (StreamKey, FactBundle) {
        let nested = try self.nested(account, now: now)
        var facts = Facts()
        var contents: [PayloadDigest] = []
        if let signed = item.signedTransactionInfo {
            let (transaction, content) = try await nested.transaction(signed.jws[...])
            facts.transactions = [transaction]
            contents.append(content)
        }
        if let signed = item.signedRenewalInfo {
            let (renewal, content) = try await nested.renewal(signed.jws[...])
            facts.renewal = renewal
            contents.append(content)
            facts.status = StatusObservation(
                status: item.status, asOf: renewal.signedDate, digest: renewal.digest,
                unsigned: .init(purchaseDate: facts.transactions.first?.purchaseDate))
            contents.append(PayloadDigest(of: item.status))
        }
        guard let signedDate = facts.newestSignedDate else { throw .misfit(.missing("signedTransactionInfo")) }
        let key = try facts.key(bundleID: account.bundleID)
        guard key.id == item.originalTransactionID else {
            throw .misfit(
                .nestedMismatch, .verificationFailure, "the item names another originalTransactionId than what it holds"
            )
        }
        return (key, Self.bundle(facts, .statuses, contents, asOf: signedDate))
    }

    private func nested(_ account: ServerAPIAccount, now: Moment) throws(Rejection) -> NestedReader {
        let claimed = ClaimedIdentity(
            bundleID: account.bundleID, environment: account.environment, carriesAppAppleID: false)
        let (app, environment) = try claimed.app(in: self.apps)
        return NestedReader(verifier: self.verifier, app: app, environment: environment, now: now)
    }

    /// The dedup key holds where the facts came from, because that counts: what a client has posted before says less
    /// than the same from Apple, and must not make a duplicate of it. And it holds the status, which no signature
    /// covers: the same signed strings with another number are another fact.
    private static func bundle(
        _ facts: Facts, _ source: EventSource, _ contents: [PayloadDigest], asOf signedDate: Moment
    ) -> FactBundle {
        let content = PayloadDigest(combining: [PayloadDigest(of: source)] + contents)
        return FactBundle(
            facts: facts, source: source, dedupKey: content.bytes, contentDigest: content, signedDate: signedDate)
    }
}
