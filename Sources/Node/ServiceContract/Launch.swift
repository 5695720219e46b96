package import Subscriptions

/// All that a device has when an app is launched.
package struct Launch: Sendable {
    package var customer: CustomerID
    package var environment: AppStoreEnvironment
    /// JWSTransaction each.
    package var transactions: [[UInt8]]
    /// JWSRenewalInfo each; of the streams of `transactions`.
    package var renewalInfos: [[UInt8]]
    /// JWSAppTransaction.
    package var appTransaction: [UInt8]?
    /// The user has pressed "restore".
    package var restores: Bool
    /// The name of the API token that asks.
    package var actor: String?

    package init(
        _ customer: CustomerID, in environment: AppStoreEnvironment, transactions: [[UInt8]] = [],
        renewalInfos: [[UInt8]] = [], appTransaction: [UInt8]? = nil, restores: Bool = false, actor: String? = nil
    ) {
        self.customer = customer
        self.environment = environment
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.appTransaction = appTransaction
        self.restores = restores
        self.actor = actor
    }

    /// So many transactions and renewal infos are taken at a time.
    package static let limit = 200
}

/// What became of a launch.
package struct LaunchAnswer: Sendable {
    /// Of the customer, after all that could be recorded.
    package var entitlements: CustomerEntitlements
    /// One for each transaction, then for each renewal info, then for the app transaction, in the order in which they came.
    package var items: [Item]

    package struct Item: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case transaction, renewalInfo, appTransaction
        }

        package enum Outcome: Hashable, Sendable {
            /// It is durable, and leads to the customer: a purchase is recorded, an app transaction registered.
            case recorded
            /// It leads to another customer, or to nobody by what somebody has said. A purchase is recorded all the same.
            case elsewhere
            /// An app transaction that names no Apple Account, as those of old versions of iOS.
            case ignored
            /// It was not taken.
            case refused(ServiceError.Code)
        }

        package var kind: Kind
        /// Of a transaction that was recorded.
        package var stream: StreamKey?
        package var outcome: Outcome

        package init(_ kind: Kind, _ outcome: Outcome, of stream: StreamKey? = nil) {
            self.kind = kind
            self.outcome = outcome
            self.stream = stream
        }
    }

    package init(entitlements: CustomerEntitlements, items: [Item]) {
        self.entitlements = entitlements
        self.items = items
    }
}
