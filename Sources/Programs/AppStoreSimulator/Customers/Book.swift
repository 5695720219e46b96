import Subscriptions

/// What the store has on record of one subscription or one-time purchase of one Apple account.
enum Book: Sendable {
    case subscription(SubscriptionAccount)
    case purchase(OneTimeLife)

    var truth: Truth {
        switch self {
        case .subscription(let account): account.truth
        case .purchase(let life): life.truth
        }
    }

    var profile: CustomerProfile {
        switch self {
        case .subscription(let account): account.profile
        case .purchase(let life): life.profile
        }
    }

    var originalTransactionID: String { self.truth.originalTransactionID }

    /// Oldest first; there is one at least.
    var transactions: [StoreTransaction] {
        switch self {
        case .subscription(let account): account.transactions
        case .purchase(let life): [life.transaction]
        }
    }

    /// 0 is the purchaser's; 1…5 are those of the family they share with.
    var familyAccount: Int {
        TransactionNumbers.account(ofTransaction: self.originalTransactionID).map { $0 % 10 } ?? 0
    }

    /// The token that the newest transaction carries; nil for what a family shares.
    var accountToken: String? { self.transactions.last.flatMap { self.profile.accountToken(for: $0) } }

    /// When the store last signed something about it.
    var lastSigned: Moment {
        switch self {
        case .subscription(let account): account.signing.newest
        case .purchase(let life): life.signing.newest
        }
    }
}

/// What came of a turn: what the store says, and the books that it may have changed.
struct Development: Sendable {
    var moment = Moment.distantPast
    var notifications: [StoreNotification] = []
    var books: [Book] = []
    /// Of everybody's extension that the publisher has asked for.
    var massExtension: MassExtensionReport?
    /// What the publisher's backend learns beside what the store says.
    var news: [BackendTip] = []
}

/// What the publisher's backend learns of somebody.
struct BackendTip: Sendable {
    /// The customer's number in the simulation.
    let customer: Int
    let news: Act.BackendNews
    /// The `originalTransactionId` of what they bought last; nil before the first purchase.
    let bought: String?
}

/// How an extension of everybody's renewal date went, and when it was complete.
struct MassExtensionReport: Sendable {
    let summary: StoreNotification.ExtensionSummary
    let completeDate: Moment
}
