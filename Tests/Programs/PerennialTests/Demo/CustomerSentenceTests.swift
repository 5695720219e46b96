import Perennial
import StrictJSON
import Testing

/// What the tour says, from two answers of the node alone.
@Suite struct CustomerSentenceTests {
    struct Example: Sendable {
        let before: CustomerAnswer
        let after: CustomerAnswer
        let sentence: String?

        init(_ before: CustomerAnswer, _ after: CustomerAnswer, _ sentence: String?) {
            (self.before, self.after, self.sentence) = (before, after, sentence)
        }
    }

    private static func answer(
        _ state: String, until: String? = "2026-07-18", news: [String] = [],
        _ change: (inout CustomerAnswer) -> Void = { _ in }
    ) -> CustomerAnswer {
        var answer = CustomerAnswer()
        answer.state = state
        answer.validUntil = until.map { $0 + "T10:00:00.000Z" }
        answer.productId = "pro.monthly"
        answer.renewalProductId = "pro.monthly"
        answer.autoRenew = true
        answer.news = news
        change(&answer)
        return answer
    }

    private static let nothing = CustomerAnswer()
    private static let subscribed = answer("subscribed")
    private static let trial = answer("subscribed") {
        $0.offer = .init(type: "introductory", discount: "FREE_TRIAL")
    }
    private static let leaving = answer("subscribed") { $0.autoRenew = false }

    static let beginnings = [
        Example(nothing, nothing, "is known: no access"),
        Example(nothing, answer("subscribed", news: ["subscribed"]), "buys pro.monthly: access until 2026-07-18"),
        Example(
            nothing,
            answer("subscribed", news: ["subscribed", "offerRedeemed"]) {
                $0.offer = .init(type: "introductory", discount: "FREE_TRIAL")
            }, "starts a free trial of pro.monthly: access until 2026-07-18"),
        Example(
            nothing, answer("subscribed", news: ["subscribed"]) { $0.offer = .init(type: "offerCode") },
            "buys pro.monthly, with an offer code: access until 2026-07-18"),
        Example(nothing, subscribed, "has pro.monthly: access until 2026-07-18, when it renews"),
        Example(nothing, leaving, "has pro.monthly, and does not renew: access until 2026-07-18"),
        Example(nothing, answer("grace"), "the card does not pay: access goes on until 2026-07-18"),
        Example(nothing, answer("retry", until: nil), "the card does not pay: no access until it does"),
        Example(nothing, answer("expired", until: nil), "has left: no access"),
        Example(nothing, answer("revoked", until: nil), "has the money back: no access"),
    ]

    static let stays = [
        Example(
            subscribed, answer("subscribed", until: "2026-08-18", news: ["renewed"]),
            "renewed: access until 2026-08-18"),
        Example(
            trial, answer("subscribed", until: "2026-08-18", news: ["renewed"]),
            "stays after the free trial, and pays: access until 2026-08-18"),
        Example(
            subscribed,
            answer("subscribed", until: "2026-08-18", news: ["renewed"]) { $0.offer = .init(type: "promotional") },
            "renewed, with a promotional offer: access until 2026-08-18"),
        Example(
            subscribed, answer("subscribed", news: ["upgraded"]) { $0.productId = "pro.yearly" },
            "moves up to pro.yearly at once: access until 2026-07-18"),
        Example(
            subscribed, answer("subscribed", news: ["productChanged", "renewed"]) { $0.productId = "basic.monthly" },
            "is on basic.monthly now: access until 2026-07-18"),
        Example(
            subscribed, answer("subscribed", until: "2026-08-18", news: ["enteredGrace", "recovered"]),
            "the card failed, and then paid: access until 2026-08-18"),
        Example(
            subscribed, answer("subscribed", until: "2026-07-25", news: ["extended"]),
            "was given more time: access until 2026-07-25"),
        Example(
            subscribed, answer("subscribed", news: ["refunded"]),
            "has money back for an earlier period: access stays, until 2026-07-18"),
        Example(subscribed, leaving, "turned auto-renew off, and will leave: access until 2026-07-18"),
        Example(
            leaving, subscribed, "turned auto-renew on again, and stays: access until 2026-07-18, when it renews"),
        Example(
            subscribed, answer("subscribed") { $0.renewalProductId = "basic.monthly" },
            "will change to basic.monthly at the next renewal: access to pro.monthly until 2026-07-18"),
        Example(
            answer("subscribed") { $0.renewalProductId = "basic.monthly" }, subscribed,
            "keeps pro.monthly after all: access until 2026-07-18, when it renews"),
        Example(
            subscribed, answer("subscribed") { $0.priceIncrease = "pending" },
            "has to agree to a higher price: access until 2026-07-18, longer only if so"),
        Example(
            subscribed, answer("subscribed") { $0.priceIncrease = "accepted" },
            "the higher price is agreed: access goes on"),
        Example(
            subscribed, answer("subscribed", news: ["consumptionRequested"]),
            "asks for the money back, Apple will decide: access stays"),
        Example(subscribed, answer("subscribed", news: ["refundDeclined"]), "gets no money back: access stays"),
        Example(
            subscribed, answer("subscribed", until: "2026-07-19") { $0.awaitingRenewal = true },
            "the period is over, the renewal not known yet: access goes on for now"),
        Example(subscribed, answer("subscribed", until: "2026-07-20"), "access until 2026-07-20"),
        Example(subscribed, answer("subscribed", news: ["metadataUpdated"]), nil),
    ]

    static let troubles = [
        Example(subscribed, answer("grace"), "the card did not pay: access goes on until 2026-07-18"),
        Example(answer("grace"), subscribed, "paid again, nothing was missed: access until 2026-07-18"),
        Example(subscribed, answer("retry", until: nil), "the card did not pay: no access until it does"),
        Example(
            answer("grace"), answer("retry", until: nil),
            "grace is over and the card still does not pay: no access until it does"),
        Example(answer("retry", until: nil), subscribed, "the card paid at last: access again, until 2026-07-18"),
        Example(
            answer("retry", until: nil), answer("expired", until: nil) { $0.expirationIntent = "billingError" },
            "never paid, and Apple tries no more: no access"),
    ]

    static let ends = [
        Example(
            leaving, answer("expired", until: nil) { $0.expirationIntent = "customerCancelled" },
            "left by choice, and the paid time is over: no access"),
        Example(leaving, answer("expired", until: nil), "left by choice, and the paid time is over: no access"),
        Example(
            subscribed, answer("expired", until: nil),
            "no word of the renewal so far: no access until it comes"),
        Example(
            subscribed, answer("expired", until: nil) { $0.expirationIntent = "priceIncreaseNotAccepted" },
            "did not agree to the higher price: no access"),
        Example(
            subscribed, answer("expired", until: nil) { $0.expirationIntent = "productNotForSale" },
            "the product is no longer sold: no access"),
        Example(
            subscribed, answer("expired", until: nil) { $0.expirationIntent = "other" }, "it ended: no access"),
        Example(
            answer("expired", until: nil), answer("expired", until: nil) { $0.expirationIntent = "billingError" },
            "never paid, and Apple tries no more: no access"),
        Example(answer("expired", until: nil), answer("expired", until: nil, news: ["noted"]), nil),
        Example(
            subscribed, answer("revoked", until: nil) { $0.revocation = .init(reason: "1") },
            "has the money back, for an issue with the app: access ended at once"),
        Example(
            subscribed, answer("revoked", until: nil) { $0.revocation = .init(reason: "0", type: "REFUND_FULL") },
            "has the money back: access ended at once"),
        Example(
            subscribed, answer("revoked", until: nil) { $0.revocation = .init(type: "FAMILY_REVOKE") },
            "the family shares no longer: access ended at once"),
    ]

    static let returns = [
        Example(
            answer("expired", until: nil), answer("subscribed", news: ["resubscribed"]),
            "is back with pro.monthly: access again, until 2026-07-18"),
        Example(
            answer("expired", until: nil),
            answer("subscribed", news: ["resubscribed"]) { $0.offer = .init(type: "winBack") },
            "is back with pro.monthly, with a win-back offer: access again, until 2026-07-18"),
        Example(
            answer("expired", until: nil), answer("subscribed", news: ["renewed"]),
            "the news of the renewal came late: access again, until 2026-07-18"),
        Example(
            answer("revoked", until: nil), answer("subscribed", news: ["refundReversed"]),
            "the refund was taken back: access again, until 2026-07-18"),
        Example(
            answer("revoked", until: nil), answer("subscribed", news: ["resubscribed"]),
            "buys pro.monthly again: access again, until 2026-07-18"),
    ]

    @Test(arguments: Self.beginnings + Self.stays + Self.troubles + Self.ends + Self.returns)
    func says(_ example: Example) {
        #expect(example.after.sentence(since: example.before) == example.sentence)
    }

    @Test func readsWhatTheNodeSays() throws {
        let json = """
            {"state": "grace", "entitled": true, "validUntil": "2026-07-18T00:00:00.000Z", "productId": "pro.monthly",
            "awaitingRenewal": false, "autoRenew": true, "renewalProductId": "pro.monthly", "expirationIntent": null,
            "priceIncrease": null, "offer": {"type": "introductory", "id": null, "discount": "FREE_TRIAL"},
            "revocation": {"date": "2026-07-01T00:00:00.000Z", "reason": 1, "type": null, "percentage": null},
            "version": 7, "asOf": "2026-07-02T00:00:00.000Z", "token": "a"}
            """

        let answer = CustomerAnswer(try JSONFragment(Array(json.utf8)))

        #expect(answer.state == "grace")
        #expect(answer.entitled)
        #expect(answer.validUntil == "2026-07-18T00:00:00.000Z")
        #expect(answer.autoRenew == true)
        #expect(answer.offer == .init(type: "introductory", discount: "FREE_TRIAL"))
        #expect(answer.revocation == .init(reason: "1"))
        #expect(answer.version == 7)
    }

    @Test func theTimeOfTheQuestionIsNoNews() {
        var later = Self.subscribed
        later.asOf = "2026-07-03T00:00:00.000Z"

        #expect(later.saysTheSame(as: Self.subscribed))
        #expect(!Self.leaving.saysTheSame(as: Self.subscribed))
    }
}
