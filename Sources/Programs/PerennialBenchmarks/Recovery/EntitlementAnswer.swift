import AppStoreSimulator
import Subscriptions

/// What a customer may use at a moment, as the store and as a service has it.
struct EntitlementAnswer: Equatable {
    private var state: LifecycleState?
    private var productID: String?
    private var transactionID: String?
    private var expiresDate: Moment?
    private var gracePeriodExpiresDate: Moment?
    private var autoRenew: Bool?
    private var entitled = false
    private var validUntil: Moment?

    init(_ snapshot: SubscriptionSnapshot?) {
        guard let snapshot else { return }
        self.state = snapshot.state
        self.productID = snapshot.productID
        self.transactionID = snapshot.transactionID?.rawValue
        self.expiresDate = snapshot.expiresDate
        self.gracePeriodExpiresDate = snapshot.state == .grace ? snapshot.gracePeriodExpiresDate : nil
        self.autoRenew = snapshot.autoRenew
        self.entitled = snapshot.entitled
        self.validUntil = snapshot.validUntil
    }

    /// - Parameters:
    ///   - leeway: how long access goes on where a renewal may come.
    ///   - commitmentEnd: until when the customer has committed to pay, which the truth does not have.
    init(_ truth: Truth, at moment: Moment, leeway: Milliseconds, commitmentEnd: Moment?) {
        guard let standing = truth.standing(at: moment) else { return }
        self.state = LifecycleState(rawValue: standing.state.rawValue)
        self.productID = standing.productID
        self.transactionID = standing.transactionID
        self.expiresDate = standing.expiresDate
        self.gracePeriodExpiresDate = standing.state == .grace ? standing.gracePeriodExpiresDate : nil
        self.autoRenew = truth.autoRenew(at: moment)
        switch standing.state {
        case .owned: self.entitled = true
        case .retry, .expired, .revoked: self.entitled = false
        case .grace:
            self.entitled = true
            self.validUntil = standing.gracePeriodExpiresDate
        case .subscribed:
            self.entitled = true
            guard let end = Self.paidEnd(truth, standing) else { return }
            let isCommitted = commitmentEnd.map { end < $0 } ?? false
            let mayRenew = isCommitted || self.autoRenew ?? true
            self.validUntil = mayRenew && truth.standing(at: end)?.state == .subscribed ? end + leeway : end
        }
    }

    /// A renewal is charged up to a day before its period begins.
    private static func paidEnd(_ truth: Truth, _ standing: Truth.Standing) -> Moment? {
        var end = standing.expiresDate
        while let last = end, let next = truth.standing(at: last), next.state == .subscribed,
            let later = next.expiresDate, later > last
        {
            end = later
        }
        return end
    }
}
