package import AppStore
import EventLog
import Ingestion
import Ownership
package import Reconciliation
package import ServiceContract
import Shards
package import Subscriptions
import Waiting

/// What people ask for; the rest Perennial does by itself.
extension SubscriptionService {
    // MARK: Notifications

    /// Has Apple send a test notification.
    /// - Returns: Apple's `testNotificationToken`, good for six months.
    /// - Throws: `.notConfigured`, `.ambiguous`; `.appStoreRefused`, e.g. where no URL is configured at Apple;
    ///   `.appStoreUnavailable`.
    package func requestTestNotification(_ app: AppReference) async throws(ServiceError) -> String {
        let client = try self.apple().accounts.client(of: app)
        return try await ServiceError.translating { try await client.requestTestNotification(urgency: .urgent) }
    }

    /// What has become of it so far, by Apple's word and by our own log.
    /// - Throws: as `requestTestNotification(_:)`.
    package func testNotification(
        _ token: String, _ app: AppReference
    ) async throws(ServiceError) -> TestNotificationReport {
        let client = try self.apple().accounts.client(of: app)
        do {
            let status = try await client.testNotificationStatus(token, urgency: .urgent)
            var hasArrived = false
            if let payload = status.signedPayload { hasArrived = try await self.ingestion.knows(payload.jws) }
            return TestNotificationReport(attempts: status.attempts, hasArrived: hasArrived)
        } catch let error as ServerAPIError where error.appleCode == Self.notFoundYet {
            return TestNotificationReport(state: .pending, attempts: [])
        } catch {
            throw ServiceError(error)
        }
    }

    /// Apple's TestNotificationNotFoundError: expired, or not there yet.
    private static let notFoundYet: Int64 = 4_040_008

    /// Reads a stretch of Apple's notification history, of one app or of all; of each as far back as it reaches.
    /// - Throws: `.notConfigured`, `.invalidRequest`, `.overloaded`.
    package func startBackfill(
        _ app: AppReference?, from: Moment, to: Moment
    ) throws(ServiceError) -> ReconciliationJob {
        let apple = try self.apple()
        let clients =
            try app.map { app throws(ServiceError) in [try apple.accounts.client(of: app)] }
            ?? apple.accounts.clients
        guard from < to else { throw ServiceError(.invalidRequest, "from must be before to") }
        let now = apple.clock.now
        guard from <= now else { throw ServiceError(.futureMoment, "from must not lie in the future") }
        let window = RecoveryWindow(start: from, end: to)
        let isReached = clients.contains { from >= window.clamped(to: $0.account.environment, now: now).start }
        guard isReached else {
            throw ServiceError(
                .invalidRequest, "Apple's history reaches 180 days back in Production, and 30 in Sandbox")
        }
        let job = try apple.jobs.start(.backfill) { report in
            for client in clients {
                let stretch = window.clamped(to: client.account.environment, now: apple.clock.now)
                _ = try await apple.history.read(
                    stretch, onlyFailures: false, from: client, urgency: .sweep, onProgress: report)
            }
        }
        apple.jobs.update(job.id) { job in
            job.from = from
            job.to = to
        }
        return try apple.jobs.job(job.id)
    }

    // MARK: Reconciliation

    /// Reads what Apple could not deliver within seven days, and compares every subscription of the store with Apple's
    /// answer: each is asked about by the node that owns its shard.
    /// - Throws: `.notConfigured`, `.overloaded`.
    package func startReconciliation() throws(ServiceError) -> ReconciliationJob {
        let apple = try self.apple()
        let comparison = FullComparison(router: self.node.router)
        return try apple.jobs.start(.run) { report in
            let now = apple.clock.now
            for client in apple.accounts.clients {
                let week = RecoveryWindow(start: now - .days(7), end: now)
                _ = try await apple.history.read(
                    week, onlyFailures: true, from: client, urgency: .sweep, onProgress: report)
            }
            try await comparison.run(onProgress: report)
        }
    }

    /// - Throws: `.unknownJob`, `.notConfigured`.
    package func job(_ id: String) throws(ServiceError) -> ReconciliationJob { try self.apple().jobs.job(id) }

    /// What this node has found out since it started.
    /// - Throws: `.notConfigured`.
    package func reconciliationReport() throws(ServiceError) -> ReconciliationReport {
        let apple = try self.apple()
        return apple.tally.report(asOf: apple.clock.now, awaiting: apple.asks.count)
    }

    // MARK: One subscription

    /// Asks Apple about a subscription now: its status, and what is new in its transaction history. One that was never
    /// heard of is recorded when Apple knows it.
    /// - Parameter inEitherEnvironment: nobody has said that it belongs to the environment of `stream`: when it is not known
    ///   there, Apple is asked in Production, and in Sandbox only when Production does not know it.
    /// - Throws: `.unknownSubscription` when Apple does not know it either; `.ambiguous`, `.notConfigured`,
    ///   `.appStoreRefused`, `.appStoreUnavailable`.
    package func refresh(
        _ stream: StreamReference, inEitherEnvironment: Bool = false
    ) async throws(ServiceError) -> SubscriptionView {
        let apple = try self.apple()
        let key = try await self.key(of: stream, inEitherEnvironment: inEitherEnvironment, apple)
        let client = try apple.accounts.client(for: key)
        try await ServiceError.translating {
            // What differs is counted before the history repairs it.
            _ = try await apple.comparison.compare(key, with: client, for: .request, urgency: .urgent)
            try await apple.past.read(key, from: client)
        }
        return try await self.subscription(
            SubscriptionQuery(
                stream: StreamReference(
                    kind: key.kind, id: key.id, environment: key.environment, bundleID: key.bundleID)))
    }

    /// Where it is known, here or to Apple.
    private func key(
        of stream: StreamReference, inEitherEnvironment: Bool, _ apple: Reconciler
    ) async throws(ServiceError) -> StreamKey {
        do throws(ServiceError) {
            return try await self.subscription(SubscriptionQuery(stream: stream)).key
        } catch {
            guard error.code == .unknownSubscription else { throw error }
        }
        do {
            var (bundleID, environment) = (stream.bundleID, stream.environment)
            if inEitherEnvironment {
                (bundleID, environment) = try await apple.accounts.environment(of: stream.id, stream.bundleID)
            } else {
                let client = try apple.accounts.client(of: AppReference(bundleID: bundleID, environment: environment))
                _ = try await client.transactionInfo(stream.id, urgency: .urgent)
                bundleID = client.account.bundleID
            }
            guard let bundleID else { throw ServiceError(.ambiguous, "name the bundle") }
            return StreamKey(kind: stream.kind, id: stream.id, environment: environment, bundleID: bundleID)
        } catch let error as ServerAPIError where error.appleCode == Self.unknownToApple {
            throw ServiceError(
                .unknownSubscription, "no subscription with this id is known, nor to Apple", cause: error)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Apple's TransactionIdNotFoundError.
    static let unknownToApple: Int64 = 4_040_010

    /// Moves the next renewal into the future. Cannot be undone.
    /// - Parameters:
    ///   - days: 1 to 90.
    ///   - requestIdentifier: names the request; 1 to 128 characters.
    /// - Throws: as `refresh(_:)`; `.appStoreRefused` where the subscription is not eligible; `.appStoreOutcomeUnknown`
    ///   when Apple may have done it, which it is then asked about.
    package func extend(
        _ stream: StreamReference, days: Int, reason: ExtensionReason, requestIdentifier: String
    ) async throws(ServiceError) -> ExtensionResult {
        let apple = try self.apple()
        let key = try await self.subscription(SubscriptionQuery(stream: stream)).key
        let client = try apple.accounts.client(for: key)
        do throws(ServerAPIError) {
            let result = try await client.extendRenewalDate(
                of: key.id,
                ExtensionRequest(days: days, reason: reason, requestIdentifier: requestIdentifier), urgency: .urgent)
            apple.asks.raise(key, .request)
            return result
        } catch {
            guard error.leavesOutcomeUnknown else { throw ServiceError(error) }
            apple.asks.raise(key, .request)
            throw ServiceError(
                .appStoreOutcomeUnknown,
                "Apple may have extended it (\(error.message)): before you ask again, refresh it and see whether its "
                    + "renewal date has moved, for a second extension gives the days again",
                cause: error)
        }
    }

    /// Answers Apple's CONSUMPTION_REQUEST.
    /// - Parameter transactionID: the one that the request names; nil for that of the newest request, and where there was
    ///   none, for the newest charge.
    /// - Throws: as `refresh(_:)`; `.transactionElsewhere`, with nothing sent.
    package func sendConsumption(
        _ information: ConsumptionInformation, about stream: StreamReference, transactionID: String?
    ) async throws(ServiceError) {
        let apple = try self.apple()
        let view = try await self.subscription(SubscriptionQuery(stream: stream))
        let client = try apple.accounts.client(for: view.key)
        let target = ConsumptionTarget(
            view: view, shard: self.node.router.map.shard(of: view.key.id), store: self.node.router.store,
            recorder: apple.comparison.recorder, client: client)
        try await ServiceError.translating {
            let id = try await target.transactionID(named: transactionID)
            try await client.sendConsumption(information, for: id, urgency: .urgent)
        }
    }

    private func apple() throws(ServiceError) -> Reconciler {
        guard let reconciler = self.reconciler else {
            throw ServiceError(.notConfigured, "no app has serverAPI in the configuration: Apple cannot be asked")
        }
        return reconciler
    }
}
