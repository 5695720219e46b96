import Entitlements
import Subscriptions
import Testing

@Suite struct CatalogHistoryTests {
    private func moment(_ number: Int64) -> Moment { Moment(milliseconds: number) }

    @Test func `a row was told by the catalog of its moment`() {
        var history = CatalogHistory(catalog: 1)
        #expect(history.isSettled && history.catalog(at: .distantPast) == 1)
        history.adopt(2, at: self.moment(10))
        history.adopt(3, at: self.moment(20))
        #expect(!history.isSettled && history.newest == 3)
        let told = [0, 9, 10, 19, 20, 30].map { history.catalog(at: self.moment($0)) }
        #expect(told == [1, 1, 2, 2, 3, 3])
    }

    @Test func `a catalog counts from when the last node has left the older one`() {
        var history = CatalogHistory(catalog: 1)
        history.adopt(2, at: self.moment(10))
        history.postponeNewest(until: self.moment(30), behind: 1, settled: .distantPast)
        // A clock that is behind takes nothing back.
        history.postponeNewest(until: self.moment(20), behind: 1, settled: .distantPast)
        history.adopt(2, at: self.moment(90))
        #expect(history.catalog(at: self.moment(29)) == 1 && history.catalog(at: self.moment(30)) == 2)
        #expect(history.steps.count == 2)
    }

    @Test func `what a node tells by an older catalog after all had been told counts as told by that`() {
        var history = CatalogHistory(catalog: 2)
        history.postponeNewest(until: self.moment(30), behind: 1, settled: self.moment(10))
        let told = [0, 9, 10, 29, 30].map { history.catalog(at: self.moment($0)) }
        #expect(told == [2, 2, 1, 1, 2])
    }

    @Test func `a settled history stays so while nothing changes`() {
        var history = CatalogHistory(catalog: 1)
        history.adopt(1, at: self.moment(10))
        #expect(history.isSettled)
    }

    @Test func `what goes back and forth is kept step by step, within a bound`() {
        var history = CatalogHistory(catalog: 0)
        for number in 1...100 { history.adopt(UInt64(number % 2), at: self.moment(Int64(number))) }
        #expect(history.steps.count == CatalogHistory.limit)
        #expect(history.steps.map(\.since) == history.steps.map(\.since).sorted())
        #expect(history.catalog(at: .distantPast) == 0 && history.newest == 0)
    }

    @Test func `a stored history without a step is none`() { #expect(CatalogHistory([]) == nil) }

    @Test func `a catalog's fingerprint is of what it grants, however it is spelled`() {
        func fingerprint(_ entries: (String, [String], Int)...) -> UInt64 {
            Catalog(entries.map { Catalog.Entry(entitlement: $0.0, products: $0.1, rank: $0.2) }).fingerprint
        }
        let one = fingerprint(("a", ["x", "y"], 1), ("b", ["z"], 1))
        #expect(one == fingerprint(("b", ["z"], 7), ("a", ["y"], 1), ("a", ["x"], 2)))
        let others = [
            fingerprint(("a", ["x"], 1), ("b", ["y", "z"], 1)), fingerprint(("a", ["x", "y"], 1)),
            fingerprint(("a", ["x", "y", "z"], 1)), fingerprint(("ab", ["x", "y"], 1), ("", ["z"], 1)), fingerprint(),
        ]
        #expect(Set(others + [one]).count == others.count + 1)
    }
}
