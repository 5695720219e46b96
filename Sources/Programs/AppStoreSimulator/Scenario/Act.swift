package import Subscriptions

/// Something that the customer, the publisher or the store does to one customer's purchases. An act that has nothing to
/// act on (a refund before anything was paid) leaves no trace. What follows from it is the store's business.
package enum Act: Hashable, Sendable {
    // MARK: The customer

    /// Buys a product. The first subscription of a group comes with its introductory offer; `offer` names another one,
    /// an offer code or a win-back offer of the plan.
    case buy(product: String, offer: String? = nil)
    /// Turns auto-renew off. In grace or retry this ends the store's attempts.
    case cancel
    /// Turns auto-renew on again.
    case resume
    /// Moves to another product of the group. The store decides whether it is an upgrade (now), a downgrade (at the next
    /// renewal) or a cross-grade (now, or later when the period differs).
    case change(to: String)
    /// Takes a pending downgrade or cross-grade back.
    case keep
    /// Redeems a promotional offer or an offer code while subscribed: for the present product, or to move to another.
    case redeem(offer: String, product: String? = nil)
    /// From now on the card does not pay.
    case fail
    /// From now on it does; what is owed is charged at once.
    case pay
    /// Agrees to the pending price increase.
    case consent
    /// Asks for money back, and the store decides.
    case refund(Refund)
    /// Disputes; the store undoes its newest refund.
    case reverseRefund
    /// Shares the subscription with so many family members, five at most.
    case share(members: Int)
    /// Stops sharing with all of them.
    case unshare

    // MARK: The publisher

    /// The price of the product rises at the next renewal, to milliunits.
    case raisePrice(to: Int64, needsConsent: Bool)
    /// Moves the renewal date of this subscription.
    case extend(by: Milliseconds)
    /// Moves the renewal date of every subscriber; for this one it may fail.
    case extendEverybody(by: Milliseconds, fails: Bool)
    /// The present product is taken from sale: it cannot renew.
    case withdraw
    /// Advanced Commerce: changes metadata, migrates, changes the price.
    case changeMetadata
    case migrate
    case changePrice(to: Int64)

    // MARK: The store, and around it

    /// The next renewal does not happen, for a reason that has no name.
    case lapse
    /// An external purchase token of a custom link is made; the publisher may forget to report it.
    case externalToken(isReported: Bool)
    /// A parent withdraws consent to the child's use of the app.
    case rescindConsent
    /// The publisher's backend learns something. The store does not.
    case tellBackend(BackendNews)

    package enum BackendNews: Hashable, Sendable {
        /// A device posts what was bought last, in the name of the customer it knows: the person's own id unless said.
        case post(as: String? = nil, restores: Bool = false)
        /// Signs in: what was this anonymous customer's is theirs from now on.
        case register(from: String)
        /// Pays for an entitlement on the web, month after month.
        case payOnWeb(entitlement: String)
        /// Pays there no more; what is paid for goes on to its end.
        case leaveWeb
    }

    package struct Refund: Hashable, Sendable {
        package enum Period: String, Sendable, CaseIterable {
            /// The period that runs now; for one-time purchases, the purchase.
            case present
            /// The one before.
            case previous
            /// The one that was charged already and has not begun. Only in the last day of a period there is one.
            case coming
        }

        package var period = Period.present
        package var isGranted = true
        /// Thousandths of a percent, as `revocationPercentage`: 100 000 is all of it.
        package var percentage: Int64 = 100_000

        package init(_ period: Period = .present, isGranted: Bool = true, percentage: Int64 = 100_000) {
            self.period = period
            self.isGranted = isGranted
            self.percentage = percentage
        }
    }
}
