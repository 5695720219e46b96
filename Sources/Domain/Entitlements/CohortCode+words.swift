extension CohortCode {
    /// Reads what `description` writes; nil for anything else.
    package init?(_ text: String) {
        guard let known = Self.all.first(where: { $0.description == text }) else { return nil }
        self = known
    }

    private static let all = (-9...5).flatMap { state in (0...5).map { CohortCode(state: state, offer: $0) } }

    /// What both digits say, for people.
    package var words: String { "\(Self.words(ofState: self.state)), \(Self.words(ofOffer: self.offer))" }

    private static func words(ofState state: Int) -> String {
        switch state {
        case 5: "subscribed and renewing"
        case 4: "subscribed, will not renew"
        case 3: "bought, does not renew"
        case 2: "granted from elsewhere"
        case 1: "grace: the payment failed, access goes on"
        case -1: "retry: the payment failed"
        case -2: "expired, since the payment failed"
        case -3: "expired, since the price increase was not accepted"
        case -4: "expired, since the product is not for sale"
        case -5: "expired by choice or otherwise"
        case -6: "replaced by an upgrade"
        case -7: "refunded for an issue with the app"
        case -8: "refunded"
        case -9: "family access ended"
        default: "nothing known, or never bought"
        }
    }

    private static func words(ofOffer offer: Int) -> String {
        switch offer {
        case 1: "in a free trial"
        case 2: "at an introductory price"
        case 3: "by a promotional offer"
        case 4: "by an offer code"
        case 5: "by a win-back offer"
        default: "without an offer"
        }
    }
}
