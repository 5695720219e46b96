import Subscriptions

/// Puts together what a notification says, of an app that is ours.
struct BundleAssembly {
    private let envelope: NotificationEnvelope
    private let contentDigest: PayloadDigest
    private let nested: NestedReader

    init(_ envelope: NotificationEnvelope, _ contentDigest: PayloadDigest, _ nested: NestedReader) {
        self.envelope = envelope
        self.contentDigest = contentDigest
        self.nested = nested
    }

    func bundle() async throws(Rejection) -> (StreamKey, FactBundle) {
        switch self.envelope.part {
        case .data(let data):
            guard data.signedTransactionInfo == nil, data.signedRenewalInfo == nil else {
                return try await self.facts(data)
            }
            guard self.envelope.identity.type == "TEST" else {
                throw Rejection.misfit(
                    PayloadProblem(.undecodable, "the notification speaks of a purchase and brings none"))
            }
            return self.record(.test, .test, id: "test:\(self.nested.app.bundleID.rawValue)")
        case .summary(_, let summary):
            guard !summary.requestIdentifier.isEmpty else { throw Rejection.misfit(.missing("requestIdentifier")) }
            return self.record(.massExtension(summary), .massExtension, id: "mass:\(summary.requestIdentifier)")
        case .externalPurchaseToken(_, let token):
            guard !token.externalPurchaseID.isEmpty else { throw Rejection.misfit(.missing("externalPurchaseId")) }
            return self.record(.externalPurchase(token), .externalPurchase, id: "ext:\(token.externalPurchaseID)")
        case .appData(_, let jws):
            guard let jws else { throw Rejection.misfit(.missing("signedAppTransactionInfo")) }
            return try await self.consentRescinded(jws)
        case nil: preconditionFailure("a notification without a part has no app, and is not opened")
        }
    }

    private func facts(_ data: NotificationEnvelope.DataPart) async throws(Rejection) -> (StreamKey, FactBundle) {
        var facts = Facts()
        var contents = [self.contentDigest]
        if let jws = data.signedTransactionInfo {
            let (transaction, content) = try await self.nested.transaction(jws)
            facts.transactions = [transaction]
            contents.append(content)
        }
        if let jws = data.signedRenewalInfo {
            let (renewal, content) = try await self.nested.renewal(jws)
            facts.renewal = renewal
            contents.append(content)
        }
        let signedDate = self.envelope.signedDate ?? facts.newestSignedDate ?? self.nested.now
        let key = try facts.key(bundleID: self.nested.app.bundleID)
        if key.kind == .subscription, let status = data.status {
            facts.status = StatusObservation(status: status, asOf: signedDate, digest: self.envelope.digest)
        }
        return (key, self.bundle(facts, contents: contents, signedDate: signedDate))
    }

    private func consentRescinded(_ jws: ArraySlice<UInt8>) async throws(Rejection) -> (StreamKey, FactBundle) {
        let (transaction, content) = try await self.nested.appTransaction(jws)
        guard let id = transaction.appTransactionID else { throw Rejection.misfit(.missing("appTransactionId")) }
        var consent = NotificationRecord.ConsentRescinded(appTransactionID: id)
        consent.originalPurchaseDate = transaction.originalPurchaseDate
        consent.originalApplicationVersion = transaction.originalApplicationVersion
        consent.originalPlatform = transaction.originalPlatform
        return self.record(
            .consentRescinded(consent), .appTransaction, id: "app:\(id)", contents: [self.contentDigest, content])
    }

    private func record(
        _ record: NotificationRecord, _ kind: StreamKind, id: String, contents: [PayloadDigest]? = nil
    ) -> (StreamKey, FactBundle) {
        let key = StreamKey(
            kind: kind, id: id, environment: self.nested.environment, bundleID: self.nested.app.bundleID)
        let signedDate = self.envelope.signedDate ?? self.nested.now
        return (key, self.bundle(Facts(), contents: contents ?? [self.contentDigest], signedDate: signedDate, record))
    }

    private func bundle(
        _ facts: Facts, contents: [PayloadDigest], signedDate: Moment, _ record: NotificationRecord? = nil
    ) -> FactBundle {
        FactBundle(
            facts: facts, source: .notification, dedupKey: self.envelope.uuidBytes,
            contentDigest: PayloadDigest(combining: contents), signedDate: signedDate,
            notification: self.envelope.identity, record: record)
    }
}

extension Facts {
    static let autoRenewable = "Auto-Renewable Subscription"

    var newestSignedDate: Moment? {
        (self.transactions.map(\.signedDate) + [self.renewal?.signedDate].compactMap(\.self)).max()
    }

    /// The stream that a transaction, a renewal info or both of one purchase belong to. Renewal info is a
    /// subscription's whatever the name of the product's type, which may grow.
    func key(bundleID: BundleID) throws(Rejection) -> StreamKey {
        let transaction = self.transactions.first
        if let transaction, let renewal, transaction.originalTransactionID != renewal.originalTransactionID {
            throw .misfit(
                .nestedMismatch, .verificationFailure,
                "transaction and renewal info name different originalTransactionIds")
        }
        guard let id = transaction?.originalTransactionID ?? self.renewal?.originalTransactionID,
            let environment = transaction?.environment ?? self.renewal?.environment
        else { preconditionFailure("a key is asked of facts that hold a payload") }
        let isSubscription = self.renewal != nil || transaction?.productType == Self.autoRenewable
        return StreamKey(
            kind: isSubscription ? .subscription : .purchase, id: id.rawValue, environment: environment,
            bundleID: bundleID)
    }
}
