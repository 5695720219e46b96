import AppStoreSimulator
import Subscriptions

/// What the truth and the node both say of a moment.
struct Answer: Equatable {
    var state: LifecycleState?
    var entitled = false
    var productID: String?
    var transactionID: String?
    var expiresDate: Moment?
    var autoRenew: Bool?
    var gracePeriodExpiresDate: Moment?

    /// - Parameter truth: nil when nothing has happened yet.
    init(_ truth: Truth?, at moment: Moment) {
        guard let truth, let standing = truth.standing(at: moment) else { return }
        self.state = LifecycleState(rawValue: standing.state.rawValue)
        self.entitled = standing.isEntitled
        self.productID = standing.productID
        self.transactionID = standing.transactionID
        self.expiresDate = standing.expiresDate
        self.autoRenew = truth.autoRenew(at: moment)
        self.gracePeriodExpiresDate = standing.state == .grace ? standing.gracePeriodExpiresDate : nil
    }

    init(_ snapshot: SubscriptionSnapshot?) {
        guard let snapshot else { return }
        self.state = snapshot.state
        self.entitled = snapshot.entitled
        self.productID = snapshot.productID
        self.transactionID = snapshot.transactionID?.rawValue
        self.expiresDate = snapshot.expiresDate
        self.autoRenew = snapshot.autoRenew
        self.gracePeriodExpiresDate = snapshot.state == .grace ? snapshot.gracePeriodExpiresDate : nil
    }

    /// What is not as in the truth.
    func differences(from truth: Answer) -> [Difference] {
        [
            Difference("state", self.state?.rawValue, truth.state?.rawValue, isFewValued: true),
            Difference("entitled", self.entitled, truth.entitled, isFewValued: true),
            Difference("productId", self.productID, truth.productID),
            Difference("transactionId", self.transactionID, truth.transactionID),
            Difference("expiresDate", self.expiresDate, truth.expiresDate),
            Difference("autoRenew", self.autoRenew, truth.autoRenew, isFewValued: true),
            Difference("gracePeriodExpiresDate", self.gracePeriodExpiresDate, truth.gracePeriodExpiresDate),
        ].compactMap(\.self)
    }

    struct Difference: CustomStringConvertible {
        /// `name answer≠truth`.
        let description: String
        /// The same, without values of which there are many.
        let kind: String

        /// nil when there is none.
        init?<Value: Equatable & CustomStringConvertible>(
            _ name: String, _ answer: Value?, _ truth: Value?, isFewValued: Bool = false
        ) {
            guard answer != truth else { return nil }
            let values = [answer, truth].map { $0.map { "\($0)" } ?? "null" }
            self.description = "\(name) \(values[0])≠\(values[1])"
            self.kind = isFewValued ? self.description : name
        }
    }
}
