package import AppStore
import Ingestion
import Logging
package import ServiceContract
import Shards
import Subscriptions
package import Waiting

/// Reads Apple's notification history and takes each notification the way that pushed ones go. Repeating a stretch
/// repeats nothing in the log.
package struct HistoryReader: Sendable {
    /// Windows whose pages are fetched side by side.
    private static let width = 12
    /// More than that, because customers are busier at some times than at others: the last ones end together.
    private static let windows = 4 * width
    /// No shorter: each window costs a request at least.
    private static let shortestWindow = Milliseconds.hours(1)

    let ingestion: Ingestion
    let metrics: ReconciliationMetrics
    let logger: Logger

    /// What a window came to.
    package struct Reading: Sendable {
        var progress = ReconciliationProgress()
        /// Of the notifications that had not been recorded before: the last attempt of each that had failed.
        var failures: [String: Int] = [:]

        static func += (left: inout Self, right: Self) {
            left.progress += right.progress
            left.failures.merge(right.failures) { $0 + $1 }
        }
    }

    /// - Parameter onProgress: called after each page, with what it came to.
    /// - Throws: `ServiceError`; what was read before stays.
    package func read(
        _ window: RecoveryWindow, onlyFailures: Bool, from client: ServerAPIClient, urgency: RequestUrgency,
        onProgress: @escaping @Sendable (ReconciliationProgress) -> Void = { _ in }
    ) async throws(ServiceError) -> Reading {
        try await ServiceError.translating {
            var reading = Reading()
            // Failures are few: most of their windows would be empty.
            let count = onlyFailures ? Self.width : Self.windows
            var windows = window.split(into: count, shortest: Self.shortestWindow)
            try await withThrowingTaskGroup(of: Reading.self) { group in
                func startNext() {
                    guard let window = windows.popLast() else { return }
                    group.addTask {
                        try await self.readPages(
                            window, onlyFailures: onlyFailures, from: client, urgency: urgency, onProgress)
                    }
                }
                for _ in 0..<Self.width { startNext() }
                for try await part in group {
                    reading += part
                    startNext()
                }
            }
            return reading
        }
    }

    /// While one page is being taken, the next one is fetched.
    private func readPages(
        _ window: RecoveryWindow, onlyFailures: Bool, from client: ServerAPIClient, urgency: RequestUrgency,
        _ onProgress: @escaping @Sendable (ReconciliationProgress) -> Void
    ) async throws -> Reading {
        var query = NotificationHistoryQuery(startDate: window.start, endDate: window.end)
        query.onlyFailures = onlyFailures
        return try await withThrowingTaskGroup(of: Reading.self) { group in
            var reading = Reading()
            for try await page in client.notificationHistoryPages(query, urgency: urgency) {
                if let previous = try await group.next() { reading += previous }
                group.addTask {
                    let taken = try await self.take(page)
                    onProgress(taken.progress)
                    return taken
                }
            }
            for try await last in group { reading += last }
            return reading
        }
    }

    private func take(_ page: NotificationHistoryPage) async throws(ServiceError) -> Reading {
        let verified = try await self.verified(page)
        let outcomes = await withTaskGroup(
            of: (SentNotification, Result<IngestOutcome, ServiceError>).self
        ) { group in
            for (item, verified) in zip(page.items, verified) {
                group.addTask { (item, await self.outcome(of: item, verified)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var reading = Reading()
        reading.progress.calls = 1
        for (item, outcome) in outcomes {
            reading.progress.fetched += 1
            switch outcome {
            case .success(.recorded), .success(.kept):
                reading.progress.recorded += 1
                if let result = item.lastAttempt?.result, result != "SUCCESS" {
                    reading.failures[result, default: 0] += 1
                }
            case .success(.duplicate): reading.progress.duplicates += 1
            case .success(.quarantined): reading.progress.quarantined += 1
            case .failure(let error):
                guard !error.retryable else { throw error }
                reading.progress.refused += 1
                self.logger.warning(
                    "A notification of Apple's history is refused",
                    metadata: .runtime([.reason: "\(error.code.rawValue): \(error.message)"]))
            }
        }
        self.metrics.recordRecovered(reading.progress.recorded)
        return reading
    }

    private func verified(
        _ page: NotificationHistoryPage
    ) async throws(ServiceError) -> [Result<Ingestion.Verified, ServiceError>] {
        try await Self.patiently { () async throws(ServiceError) in
            try await self.ingestion.verify(page.items.map(\.signedPayload.jws))
        }
    }

    private func outcome(
        of item: SentNotification, _ verified: Result<Ingestion.Verified, ServiceError>
    ) async -> Result<IngestOutcome, ServiceError> {
        do throws(ServiceError) {
            return .success(
                try await Self.patiently { () async throws(ServiceError) in
                    var verified = verified
                    if case .failure(let error) = verified, error.retryable {
                        verified = try await self.ingestion.verify([item.signedPayload.jws])[0]
                    }
                    return try await self.ingestion.record(try verified.get(), mayQuarantine: true)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Trouble that passes is waited for a while: the store may be busy with what is taken beside it.
    private static func patiently<Value: Sendable>(
        _ body: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        var pause = Duration.milliseconds(50)
        while true {
            do throws(ServiceError) {
                return try await body()
            } catch {
                guard error.retryable, pause < .seconds(5) else { throw error }
                do { try await Task.sleep(for: pause) } catch { throw ServiceError(error) }
                pause *= 2
            }
        }
    }
}
