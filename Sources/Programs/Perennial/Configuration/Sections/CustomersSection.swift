/// `customers`, and `apps[].customers` for one app.
package struct CustomersSection: ConfigurationSection {
    /// `customers.transfer`: what becomes of a link to a purchase that is another customer's: `keep` refuses it, `transfer` moves
    /// the purchase, `transferIfInactive` moves it unless it gives access or is in billing retry, `share` gives it to both.
    /// `keep` unless set; for one app also `apps[].customers.transfer`.
    package var transfer: String?
    /// `customers.tokens`: whether an `appAccountToken` that no customer has registered leads to the customer whose id it is:
    /// `id` or `registered` (it leads nowhere). `id` unless set; for one app also `apps[].customers.tokens`.
    package var tokens: String?

    package init() {}
}
