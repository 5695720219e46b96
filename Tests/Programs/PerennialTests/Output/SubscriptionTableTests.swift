import Entitlements
import Perennial
import Testing

@Suite struct SubscriptionTableTests {
    @Test(arguments: [
        ("9990", "9.99"), ("0", "0.00"), ("10000", "10.00"), ("500", "0.50"), ("1005", "1.005"), ("-50", "-0.05"),
        ("9007199254740993", "9007199254740.993"),
    ])
    func `a price is in the currency's own unit`(_ milliunits: String, _ shown: String) throws {
        let answer = try JSONFragment(Array(#"{"renewalPrice":\#(milliunits),"currency":"GBP"}"#.utf8))

        #expect(answer.subscriptionTable.lines == ["renewalPrice  \(shown)", "currency      GBP"])
    }

    @Test(arguments: [
        ("5.0", "5.0 (subscribed and renewing, without an offer)"),
        ("-1.1", "-1.1 (retry: the payment failed, in a free trial)"),
        ("0.0", "0.0 (nothing known, or never bought, without an offer)"), ("77.0", "77.0"),
    ])
    func `a code says what it means`(_ code: String, _ shown: String) throws {
        let answer = try JSONFragment(Array(#"{"code":"\#(code)"}"#.utf8))

        #expect(answer.subscriptionTable.lines == ["code  \(shown)"])
    }

    @Test func `each code has words of its own`() {
        let codes = (-9...5).flatMap { state in (0...5).map { CohortCode(state: state, offer: $0) } }

        #expect(Set(codes.map(\.words)).count == codes.count)
        #expect(codes.allSatisfy { CohortCode($0.description) == $0 })
    }
}
