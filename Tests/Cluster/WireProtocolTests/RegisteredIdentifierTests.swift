import Customers
import Subscriptions
import Testing
import WireProtocol

@Suite struct RegisteredIdentifierTests {
    @Test(arguments: 0..<10) func `any state of an identifier comes back exactly`(_ seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<50 {
            let state = RegisteredIdentifier(
                random.optional { $0.text() }, holder: random.optional { $0.customer() },
                isProvisional: random.pick([true, false]), isByLink: random.pick([true, false]))
            let read = try StoredRegisteredIdentifier(protoBytes: StoredRegisteredIdentifier(state).protoBytes())
            #expect(read.logicVersion == RegisteredIdentifier.logicVersion)
            #expect(read.state == state)
        }
    }
}
