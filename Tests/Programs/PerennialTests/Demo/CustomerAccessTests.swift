import Perennial
import StrictJSON
import Testing

/// What the tour says of a customer beside their subscription.
@Suite struct CustomerAccessTests {
    private func access(_ kind: String?, until: String = "2026-07-18", entitled: Bool = true) -> CustomerAccess {
        var access = CustomerAccess()
        access.entitled = entitled
        access.kind = kind
        access.validUntil = entitled ? "\(until)T10:00:00.000Z" : nil
        return access
    }

    @Test func `reads a check by customer`() throws {
        let yes = """
            {"entitled":true,"validUntil":"2026-07-18T10:00:00.000Z","by":{"kind":"grant","id":"web"}}
            """
        #expect(CustomerAccess(try JSONFragment(Array(yes.utf8))) == self.access("grant"))
        let no = #"{"entitled":false,"validUntil":null,"by":null,"reason":"unknownCustomer"}"#
        #expect(CustomerAccess(try JSONFragment(Array(no.utf8))) == CustomerAccess())
    }

    @Test func `what is paid on the web is told each month`() {
        let (first, next) = (self.access("grant"), self.access("grant", until: "2026-08-18"))
        #expect(
            first.sentence(since: self.access("subscription"), wasKnown: true)
                == "has what was paid on the web: access until 2026-07-18")
        #expect(first.sentence(since: nil, wasKnown: false) == "has what was paid on the web: access until 2026-07-18")
        #expect(next.sentence(since: first, wasKnown: true) == "paid on the web again: access until 2026-08-18")
        #expect(first.sentence(since: first, wasKnown: true) == nil)
    }

    @Test func `where a subscription gives no access, something else may`() {
        #expect(self.access("grant").besideSubscription == "what was paid on the web gives access until 2026-07-18")
        #expect(self.access("subscription").besideSubscription == nil)
        #expect(self.access("grant", entitled: false).besideSubscription == nil)
    }

    @Test func `whose a purchase is may be known later than the purchase`() {
        let before = CustomerAccess()
        #expect(
            self.access("subscription").sentence(since: before, wasKnown: true)
                == "the app knows by now whose it is: access as a customer until 2026-07-18")
        // Otherwise the subscription says it all.
        #expect(self.access("subscription").sentence(since: before, wasKnown: false) == nil)
        #expect(self.access("subscription").sentence(since: nil, wasKnown: true) == nil)
        #expect(
            self.access("subscription", entitled: false).sentence(since: self.access("subscription"), wasKnown: true)
                == nil)
    }
}
