import Customers
import Subscriptions
import Testing
import WireProtocol

@Suite struct CustomerStateTests {
    @Test("any state of a customer comes back exactly", arguments: 0..<20)
    func anyState(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<50 {
            let state = CustomerState(
                random.optional { $0.customer() }, grants: random.list(upTo: 5) { $0.grant() },
                attributes: ["a": random.attribute(), "b": .boolean(false)],
                takes: random.list(upTo: 3) {
                    .init($0.customer(), at: .random(in: 0...9, using: &$0), $0.room())
                },
                arrived: random.list(upTo: 3) { .random(in: 0 ... .max, using: &$0) },
                movedTo: random.optional { $0.customer() },
                changedAt: random.moment(),
                told: [
                    random.entitlementName(): random.answerAboutName(),
                    EntitlementName("b", in: .sandbox): random.answerAboutName(),
                ],
                duplicatePayments: random.list(upTo: 3) { $0.duplicatePayment() })
            let read = try StoredCustomerState(protoBytes: StoredCustomerState(state).protoBytes())
            #expect(read.logicVersion == CustomerState.logicVersion)
            #expect(isIdentical(read.state.grants, state.grants))
            #expect(read.state == state)
        }
    }

    @Test(
        "a state takes less than 16 KB with as many grants and attributes as there may be",
        arguments: [1, 24, 100, 500])
    func largest(bytes: Int) throws {
        func text(_ bytes: Int, _ number: Int) -> String {
            String(number) + String(repeating: "x", count: max(0, bytes - String(number).count))
        }
        // The last moment that RFC 3339 can write.
        let last = Moment(milliseconds: 253_402_300_799_999)
        let customer = CustomerID("u")!
        var state = CustomerState()
        func record(_ number: Int) -> CustomerRecord? {
            let grant = Grant(
                id: text(min(bytes, Grant.longestID), number), entitlement: text(bytes, number),
                reason: text(bytes, number), source: text(min(bytes, Grant.longestSource), number), from: .distantPast,
                until: last, renews: true, environment: AppStoreEnvironment(rawValue: "LocalTesting"))
            let request = CustomerRequest(
                customer, .grant(grant, startsNow: false, replaces: false), actor: text(bytes, number))
            return CustomerDecision(request, state, at: 0, Moment(rawValue: 0)).record
        }
        while let record = record(state.grants.count) { state.apply(record, at: last) }
        for grant in state.grants { state.apply(CustomerRecord(nil, .revoked(grant: grant.key, at: last)), at: last) }
        let each = CustomerState.attributeBytes / CustomerState.attributeLimit
        let attributes = (0..<CustomerState.attributeLimit).map {
            (text(8, $0), AttributeValue.text(text(each - 8, $0)))
        }
        let request = CustomerRequest(customer, .set(Dictionary(uniqueKeysWithValues: attributes)))
        state.apply(try #require(CustomerDecision(request, state, at: 0, last).record), at: last)
        let longest = CustomerID.lengths.upperBound
        for number in 1..<CustomerState.nameLimit {
            let brought = Belongings(of: .max - UInt64(number))
            state.apply(CustomerRecord(nil, .taken(CustomerID("x"), brought)), at: last)
        }
        let names = attributes.map(\.0)
        for number in 0..<CustomerState.takeLimit {
            let other = CustomerID(text(longest, number))
            let room = Room(names: 128, grants: 50, bytes: 1 << 20)
            // With it go attributes, each of which one customer has brought.
            let leaving = ReturnedBelongings(
                attributes: number == 0 ? names : [], origins: [UInt64.max - UInt64(number)])
            state.apply(CustomerRecord(nil, .givesBack(other, at: .max, room, leaving)), at: last)
        }
        state.apply(CustomerRecord(nil, .attributes(Dictionary(uniqueKeysWithValues: attributes))), at: last)
        for number in 0...CustomerState.departureLimit {
            let leaving = ReturnedBelongings(origins: [.max / 2 - UInt64(number)])
            state.apply(CustomerRecord(nil, .givesBack(nil, at: .max, Room(), leaving)), at: last)
        }
        for number in 0..<CustomerState.takeLimit {
            state.apply(CustomerRecord(nil, .taken(CustomerID("y"), Belongings(of: .max - UInt64(number)))), at: last)
        }
        state.apply(
            CustomerRecord(CustomerID(text(longest, 5)), .moved(to: CustomerID(text(longest, 6)))), at: last)
        #expect(state.grants.count == 50 || bytes > 24)
        let size = try StoredCustomerState(state).protoBytes().count
        #expect(size < 16_384, "\(size) bytes")
    }

    @Test func `of what is paid for twice a state keeps little, however much there is`() throws {
        func stream(_ number: Int) -> DuplicatePayment.Side {
            let key = StreamKey(
                kind: .subscription, id: String(2_000_000_000_000_000 + number), environment: .production,
                bundleID: BundleID(rawValue: "com.example.publisher.app"))
            return DuplicatePayment.Side(.stream(key), productID: "com.example.pro.monthly")
        }
        var state = CustomerState()
        for number in 0..<100 {
            let duplicate = DuplicatePayment(
                "pro", since: Moment(milliseconds: 253_402_300_799_999), stream(number), stream(number + 1))
            state.apply(CustomerRecord(nil, .duplicatePayment(duplicate)), at: .distantPast)
        }
        let size = try StoredCustomerState(state).protoBytes().count
        #expect(size <= CustomerState.duplicateLimit * 200, "\(size) bytes")
    }

    @Test("equal attributes are stored as equal bytes, in whatever order they came")
    func order() throws {
        let names = (0..<20).map(String.init)
        func bytes(_ names: [String]) throws -> [UInt8] {
            var state = CustomerState()
            for name in names {
                state.apply(CustomerRecord(nil, .attributes([name: .text(name)])), at: .distantPast)
            }
            return try StoredCustomerState(state).protoBytes()
        }
        #expect(try bytes(names) == bytes(names.reversed()))
    }
}
