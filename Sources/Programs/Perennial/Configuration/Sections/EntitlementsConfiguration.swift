import Subscriptions

package struct EntitlementsConfiguration: ConfigurationSection {
    /// `entitlements.catalog`: which products grant what.
    package var catalog: [CatalogEntryConfiguration] = []
    /// `entitlements.renewalLeeway`: by environment, how long access goes on after the end of a period that may renew,
    /// while the renewal is on its way; `2h` in Production and `5m` in Sandbox unless set.
    package var renewalLeeway: [String: ConfigurationDuration] = [
        "Production": ConfigurationDuration(.hours(2)), "Sandbox": ConfigurationDuration(.minutes(5)),
    ]
    /// `entitlements.nonRenewing`: by product, how long a non-renewing subscription lasts, such as `30d`; without an
    /// entry it has no end.
    package var nonRenewing: [String: ConfigurationDuration] = [:]

    package init() {}
}

package struct CatalogEntryConfiguration: ConfigurationSection {
    /// `entitlements.catalog[].entitlement`: the name that services ask for. No default.
    package var entitlement = ""
    /// `entitlements.catalog[].products`: the product ids that grant it. No default.
    package var products: [String] = []
    /// `entitlements.catalog[].rank`: what it is worth among all that grant something, higher is more; 1 unless set.
    package var rank: Int?
    /// `entitlements.catalog[].level`: what `rank` was called in earlier versions.
    package var level: Int?

    package init() {}

    package init(entitlement: String, products: [String], rank: Int) {
        self.entitlement = entitlement
        self.products = products
        self.rank = rank
    }
}
