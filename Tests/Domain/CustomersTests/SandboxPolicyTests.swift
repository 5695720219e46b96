import Customers
import Subscriptions
import Testing

/// Whose purchases in Sandbox count in Production.
@Suite struct SandboxPolicyTests {
    @Test func `a list counts its customers, and what carries its tokens`() {
        let policy = SandboxPolicy.listed(customers: [customer("review")], tokens: [token(1)])
        #expect(policy.counts(customer("review"), token: nil))
        #expect(policy.counts(customer("review"), token: token(2)))
        #expect(policy.counts(customer("other"), token: token(1)))
        #expect(!policy.counts(customer("other"), token: token(2)))
        #expect(!policy.counts(customer("Review"), token: nil))
    }

    @Test(arguments: [(SandboxPolicy.nobody, false), (.anybody, true)])
    func `nobody and anybody look at nothing`(_ policy: SandboxPolicy, _ counts: Bool) {
        #expect(policy.counts(customer("a"), token: nil) == counts)
        #expect(policy.counts(tokenCustomer(1), token: token(1)) == counts)
    }
}
