package import Subscriptions
import Waiting

/// Asks the App Store Server API about one app in one environment. Any number of calls may be under way; each keeps to
/// the budget, is repeated while it fails in a way that passes, and ends by its deadline. Nothing that comes back is
/// verified: signed strings are for `AnswerReader`.
package final class ServerAPIClient: Sendable {
    package let account: ServerAPIAccount
    package let budget: RequestBudget

    private let baseURL: String
    private let tokens: TokenSource
    private let transport: any ServerAPITransport
    private let configuration: ServerAPIConfiguration
    private let observer: (any ServerAPIObserver)?
    private let time: ServerAPITime
    private let now: @Sendable () -> Moment
    private let places: RequestPlaces

    /// - Parameters:
    ///   - baseURL: scheme and host, perhaps a port and the start of a path; `ServerAPIAccount.appleBaseURL(in:)` has
    ///     Apple's.
    ///   - now: for tokens, and for what Apple says in absolute time.
    /// - Throws: for Xcode and LocalTesting, which have no Server API; for a URL that is none.
    package init(
        account: ServerAPIAccount, credentials: ServerAPICredentials, baseURL: String,
        transport: any ServerAPITransport, budget: RequestBudget, configuration: ServerAPIConfiguration = .init(),
        observer: (any ServerAPIObserver)? = nil, time: ServerAPITime = .system,
        now: @escaping @Sendable () -> Moment
    ) throws(AppStoreConfigurationError) {
        guard [.production, .sandbox].contains(account.environment) else {
            throw AppStoreConfigurationError("\(account.environment.rawValue) has no App Store Server API")
        }
        self.account = account
        self.budget = budget
        self.baseURL = try Self.checked(baseURL)
        self.tokens = TokenSource(credentials: credentials, bundleID: account.bundleID, now: now)
        self.transport = transport
        self.configuration = configuration
        self.observer = observer
        self.time = time
        self.now = now
        self.places = RequestPlaces(limit: max(1, configuration.concurrency))
    }

    private static func checked(_ baseURL: String) throws(AppStoreConfigurationError) -> String {
        let url = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        let host = ["https://", "http://"].lazy.compactMap { url.hasPrefix($0) ? url.dropFirst($0.count) : nil }.first
        guard let host, !host.isEmpty, !host.hasPrefix("/"), !host.contains(where: { "?#@".contains($0) }),
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw AppStoreConfigurationError("the base URL of the Server API is not one such as https://host")
        }
        return url
    }

    // MARK: One call

    /// - Returns: what `read` makes of the body of a success.
    /// - Throws: `.malformedAnswer` when `read` throws, `.serverTrouble` where that is for want of JSON; and all else.
    func perform<Answer: Sendable>(
        _ call: ServerAPICall, _ urgency: RequestUrgency,
        _ read: @escaping @Sendable ([UInt8]) throws(AnswerProblem) -> Answer
    ) async throws(ServerAPIError) -> Answer {
        let deadline = self.time.elapsed() + self.configuration.callDeadline
        return try await self.time.limit(to: self.configuration.callDeadline) {
            () async throws(ServerAPIError) in
            try await self.exchange(call, urgency, deadline: deadline, read)
        }
    }

    private static func answer<Answer>(
        _ body: [UInt8], _ read: ([UInt8]) throws(AnswerProblem) -> Answer
    ) throws(ServerAPIError) -> Answer {
        do throws(AnswerProblem) {
            return try read(body)
        } catch {
            guard !AnswerProblem.isForeign(body) else {
                throw ServerAPIError(.serverTrouble, "a success came without an answer of the App Store: \(error)")
            }
            throw ServerAPIError(.malformedAnswer, "the answer is not what it should be: \(error)")
        }
    }

    /// Sends until there is an answer, or a failure that stays.
    private func exchange<Answer: Sendable>(
        _ call: ServerAPICall, _ urgency: RequestUrgency, deadline: Duration,
        _ read: @Sendable ([UInt8]) throws(AnswerProblem) -> Answer
    ) async throws(ServerAPIError) -> Answer {
        var attempt = 1
        var hasRenewedToken = false
        while true {
            do throws(ServerAPIError) {
                return try Self.answer(try await self.send(call, urgency, deadline: deadline), read)
            } catch {
                if error.code == .unauthorized, error.status == 401, !hasRenewedToken {
                    hasRenewedToken = true
                    continue
                }
                guard call.mayRepeat(after: error), attempt < self.configuration.attempts else { throw error }
                // After a 429 it is the budget that waits.
                let pause = error.code == .rateLimited ? .zero : self.pause(after: attempt)
                let next = error.retryAfter.map { Duration($0, since: self.now()) } ?? pause
                guard self.time.elapsed() + next < deadline else { throw error }
                await self.time.sleep(pause)
                guard !Task.isCancelled else { throw .cancelled }
                attempt += 1
            }
        }
    }

    private func pause(after attempt: Int) -> Duration {
        let longest = self.configuration.firstPause * (1 << min(attempt - 1, 6))
        return longest * (1 - self.time.chance() / 2)
    }

    private func send(
        _ call: ServerAPICall, _ urgency: RequestUrgency, deadline: Duration
    ) async throws(ServerAPIError) -> [UInt8] {
        try await self.budget.take(call.endpoint, urgency, within: deadline - self.time.elapsed(), now: self.now())
        do throws(CancellationError) { try await self.places.enter(urgency) } catch { throw .cancelled }
        defer { self.places.leave() }
        let token = try await self.tokens.token()
        let request = call.request(baseURL: self.baseURL, token: token)
        let timeout = min(self.configuration.requestTimeout, deadline - self.time.elapsed())
        guard timeout > .zero else { throw .timedOut }
        do throws(ServerAPIError) {
            let answer = try await self.time.limit(to: timeout) { () async throws(ServerAPIError) in
                try await self.transport.send(request, timeout: timeout)
            }
            return try self.body(of: answer, call, token: token)
        } catch {
            if error.code != .cancelled { self.observer?.answered(call.endpoint, code: error.label) }
            throw error
        }
    }

    private func body(
        of answer: ServerAPIAnswer, _ call: ServerAPICall, token: String
    ) throws(ServerAPIError) -> [UInt8] {
        guard answer.body.count <= self.configuration.maximumAnswerBytes else {
            throw ServerAPIError(
                .tooLarge, "the answer has more than \(self.configuration.maximumAnswerBytes) bytes",
                status: answer.status)
        }
        guard !(200..<300).contains(answer.status) else {
            self.observer?.answered(call.endpoint, code: String(answer.status))
            return answer.body
        }
        let refusal = Refusal(answer, hiding: token)
        if answer.status == 401 { self.tokens.discard(token) }
        guard refusal.code == .rateLimited else { throw refusal.error(retryAfter: nil) }
        let pause = refusal.pause(now: self.now())
        self.budget.close(call.endpoint, for: pause)
        throw refusal.error(retryAfter: self.now() + pause)
    }
}

extension ServerAPIError {
    /// For metrics.
    fileprivate var label: String {
        self.appleCode.map(String.init) ?? self.status.map { String($0) } ?? self.code.rawValue
    }
}

extension Duration {
    fileprivate init(_ moment: Moment, since earlier: Moment) {
        self = .milliseconds(moment.milliseconds - earlier.milliseconds)
    }
}
