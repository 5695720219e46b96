import Customers
import Entitlements
import EventLog
import ServiceContract
import Shards
import Subscriptions
import Testing

/// What is kept of customers for checks goes as soon as something may have changed it.
@Suite struct CustomerTableTests {
    private let table = CustomerTable(limit: 100, isFollowed: true)

    private static func customer(_ number: Int) -> CustomerID { CustomerID("u-\(number)")! }
    private static func stream(_ number: Int) -> CustomerTable.Cause { .stream([1, UInt8(number)]) }
    private static func hash(_ number: Int) -> IdentifierHash { IdentifierHash(high: 1, low: UInt64(number)) }

    private static func loaded(_ number: Int, _ causes: CustomerTable.Cause...) -> CheckableCustomer.Loaded {
        let content = CheckableCustomer(.known, from: .distantPast, shards: []) { environment in
            CustomerHoldings(
                streams: [], grants: [], in: environment, catalog: Catalog(), rules: DerivationRules())
        }
        return CheckableCustomer.Loaded(Self.customer(number), content, causes)
    }

    private func keep(_ loaded: CheckableCustomer.Loaded...) {
        self.table.endLoading(self.table.beginLoading(), loaded)
    }

    private func has(_ number: Int, in table: CustomerTable? = nil) -> Bool {
        (table ?? self.table).read([Self.customer(number)]).found[0] != nil
    }

    private func change(_ streams: Int..., lookups: [(IdentifierHash.Kind, Int)] = []) {
        self.table.forget(
            streams.map { [1, UInt8($0)] },
            lookups.map { Lookup(kind: $0, hash: Self.hash($1), key: [1, 99]) })
    }

    @Test func `an entry goes with the first of its causes, and no other does`() {
        let identifier = CustomerTable.Cause.identifier(.customer, Self.hash(7))
        self.keep(
            Self.loaded(1, Self.stream(1), Self.stream(2)), Self.loaded(2, Self.stream(2), identifier),
            Self.loaded(3, Self.stream(3)))
        self.change(9, lookups: [(.appAccountToken, 7), (.customer, 8)])
        #expect((1...3).map { self.has($0) } == [true, true, true])
        self.change(2)
        #expect((1...3).map { self.has($0) } == [false, false, true], "they share a cause")
        self.keep(Self.loaded(2, Self.stream(2), identifier))
        self.change(1)
        #expect(self.has(2), "what an entry rested on that is gone concerns nobody")
        self.change(lookups: [(.customer, 7)])
        #expect(!self.has(2))
        #expect(self.has(3))
    }

    @Test func `what changes while it is read is not kept`() {
        for isBefore in [true, false] {
            if isBefore { self.change(1) }
            let loading = self.table.beginLoading()
            if !isBefore { self.change(1) }
            self.table.endLoading(loading, [Self.loaded(1, Self.stream(1)), Self.loaded(2, Self.stream(2))])
            #expect(self.has(1) == isBefore)
            #expect(self.has(2))
            self.change(1, 2)
        }
    }

    @Test func `of two readings at a time each goes by what has changed since it began`() {
        let first = self.table.beginLoading()
        self.change(1)
        let second = self.table.beginLoading()
        self.table.endLoading(second, [Self.loaded(1, Self.stream(1))])
        #expect(self.has(1))
        self.table.endLoading(first, [Self.loaded(2, Self.stream(1)), Self.loaded(3, Self.stream(3))])
        #expect(!self.has(2))
        #expect(self.has(3))
    }

    @Test func `nothing that was read before all is forgotten stays or comes`() {
        self.keep(Self.loaded(1, Self.stream(1)))
        let loading = self.table.beginLoading()
        self.table.removeAll()
        self.table.endLoading(loading, [Self.loaded(2, Self.stream(2))])
        #expect(!self.has(1))
        #expect(!self.has(2))
        self.keep(Self.loaded(2, Self.stream(2)))
        #expect(self.has(2))
    }

    @Test func `a reading during which too much changes is not kept`() {
        let loading = self.table.beginLoading()
        for _ in 0..<70_000 { self.change(5) }
        self.table.endLoading(loading, [Self.loaded(1, Self.stream(1))])
        #expect(!self.has(1))
        self.keep(Self.loaded(1, Self.stream(1)))
        #expect(self.has(1))
    }

    @Test func `whoever reads learns whether something has gone meanwhile`() {
        self.keep(Self.loaded(1, Self.stream(1)))
        let removals = self.table.read([Self.customer(1)]).removals
        self.change(2)
        #expect(self.table.isUnchanged(since: removals))
        self.change(1)
        #expect(!self.table.isUnchanged(since: removals))
        let later = self.table.read([Self.customer(1)]).removals
        self.table.removeAll()
        #expect(!self.table.isUnchanged(since: later))
    }

    @Test func `whoever has made room counts as gone, since nobody says that it has changed`() {
        let table = CustomerTable(limit: 1, isFollowed: true)
        table.endLoading(table.beginLoading(), [Self.loaded(1, Self.stream(1))])
        let removals = table.read([Self.customer(1)]).removals
        table.endLoading(table.beginLoading(), [Self.loaded(2, Self.stream(2))])
        #expect(!self.has(1, in: table))
        #expect(!table.isUnchanged(since: removals))
    }

    @Test func `there is room for so many, and who is asked for stays`() {
        let table = CustomerTable(limit: 10, isFollowed: true)
        for number in 0..<200 {
            table.endLoading(table.beginLoading(), [Self.loaded(number, Self.stream(number % 20))])
            if number >= 3 { #expect(self.has(3, in: table), "\(number)") }
            if number % 7 == 0 { table.forget([[1, UInt8((number + 11) % 20)]].filter { $0 != [1, 3] }, []) }
        }
        #expect((0..<200).count { self.has($0, in: table) } <= 10)
    }

    @Test func `what rests on very much is not kept`() {
        let causes = (0..<2_000).map { CustomerTable.Cause.stream([UInt8($0 % 256), UInt8($0 / 256)]) }
        var loaded = Self.loaded(1)
        loaded.causes = causes
        self.keep(loaded)
        #expect(!self.has(1))
        loaded.causes = Array(causes.prefix(500))
        self.keep(loaded)
        #expect(self.has(1))
    }
}
