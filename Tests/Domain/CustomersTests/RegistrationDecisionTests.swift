import Customers
import Subscriptions
import Testing

/// Who may register an identifier: policy × who has it × whether it gives access.
@Suite struct RegistrationDecisionTests {
    private static func decision(
        _ policy: TransferPolicy, registered: String? = nil, carried: String? = nil, isProvisional: Bool = false,
        isActive: Bool = false
    ) -> RegistrationDecision {
        RegistrationDecision(
            by: hashed("u"), registered: registered.map(hashed), carried: carried.map(hashed),
            isProvisional: isProvisional,
            isActive: isActive, policy: policy)
    }

    @Test(arguments: TransferPolicy.allCases, [false, true])
    func `what nobody has is registered, and what the customer has stays`(_ policy: TransferPolicy, _ isActive: Bool) {
        #expect(Self.decision(policy, isActive: isActive) == .registers)
        #expect(Self.decision(policy, carried: "u", isActive: isActive) == .registers, "the row makes it sure")
        #expect(Self.decision(policy, registered: "u", isActive: isActive) == .fulfilled)
        #expect(Self.decision(policy, registered: "u", carried: "v", isActive: isActive) == .fulfilled)
        #expect(Self.decision(policy, registered: "u", isProvisional: true, isActive: isActive) == .confirms)
        #expect(Self.decision(policy, isProvisional: true, isActive: isActive) == .registers)
    }

    @Test(
        arguments: [
            (TransferPolicy.keep, false, RegistrationDecision.refused), (.keep, true, .refused),
            (.share, false, .refused), (.share, true, .refused), (.transfer, false, .registers),
            (.transfer, true, .registers), (.transferIfInactive, false, .registers),
            (.transferIfInactive, true, .refused),
        ])
    func `what another customer has goes by the policy, registered or carried`(
        _ policy: TransferPolicy, _ isActive: Bool, _ expected: RegistrationDecision
    ) {
        #expect(Self.decision(policy, registered: "v", isActive: isActive) == expected)
        #expect(Self.decision(policy, carried: "v", isActive: isActive) == expected)
        #expect(Self.decision(policy, registered: "v", carried: "u", isActive: isActive) == expected)
    }

    @Test func `an identifier leads to whoever registered it last, until that is taken back or erased`() {
        var state = RegisteredIdentifier()
        state.apply(Registration(.registered, of: "t", customer("a")))
        state.apply(Registration(.registered, of: "t", customer("b"), isProvisional: true))
        #expect(state == RegisteredIdentifier("t", holder: customer("b"), isProvisional: true))
        state.apply(Registration(.registered, of: "t", customer("b")))
        #expect(state == RegisteredIdentifier("t", holder: customer("b")))
        state.apply(Registration(.released, of: "t", customer("b")))
        #expect(state == RegisteredIdentifier("t"))
        state.apply(Registration(.registered, of: nil, nil))
        #expect(state == RegisteredIdentifier("t"))
    }
}
