package import Customers
package import EventLog
package import ServiceContract
package import Subscriptions

/// What leads to one customer, with all that a check needs of it, for any moment from `from` on.
package final class CheckableCustomer: Sendable {
    package let standing: CustomerResult.Standing
    package let from: Moment
    /// Those on whose commits it rests.
    package let shards: [ShardID]
    /// By what counts in Production, as nearly all questions are.
    package let production: CustomerHoldings
    /// Of any other environment.
    private let other: @Sendable (AppStoreEnvironment) -> CustomerHoldings

    /// - Parameter holdings: what counts in an environment.
    package init(
        _ standing: CustomerResult.Standing, from moment: Moment, shards: [ShardID],
        holdings: @escaping @Sendable (AppStoreEnvironment) -> CustomerHoldings
    ) {
        self.standing = standing
        self.from = moment
        self.shards = shards
        self.production = holdings(.production)
        self.other = holdings
    }

    package func holdings(in environment: AppStoreEnvironment) -> CustomerHoldings {
        environment == .production ? self.production : self.other(environment)
    }

    /// As it was read from the store.
    package struct Loaded: Sendable {
        package var customer: CustomerID
        package var content: CheckableCustomer
        package var causes: [CustomerTable.Cause]

        package init(_ customer: CustomerID, _ content: CheckableCustomer, _ causes: [CustomerTable.Cause]) {
            self.customer = customer
            self.content = content
            self.causes = causes
        }
    }
}
