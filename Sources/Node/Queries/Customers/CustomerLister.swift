import Customers
package import EventLog
import Ownership
package import ServiceContract
package import Shards
import Subscriptions

/// Lists subscriptions and purchases with whose they are: shard by shard, in key order, from what the store has committed. It reads
/// every row of these, so a page ends after so many rows, whatever it has found by then.
package struct CustomerLister: Sendable {
    /// How many rows a page may read. The last reading may go beyond it.
    private static let rowLimit = 4_096
    /// How many rows are read at a time.
    private static let step = 256
    /// A reading counts as so many rows at least.
    private static let leastCost = 16

    private let holdings: HoldingsReader
    private let shards: [ShardID]
    private let clock: any WallClock

    package init(_ holdings: HoldingsReader, shards: [ShardID], clock: any WallClock) {
        self.holdings = holdings
        self.shards = shards
        self.clock = clock
    }

    package func page(_ filter: CustomerFilter, after cursor: String?, limit: Int) async throws -> CustomerPage {
        var start: PageCursor?
        if let cursor { start = try await self.holdings.positions.page(cursor) }
        var page = CustomerPage(listings: [], asOf: self.clock.now, next: nil)
        var rowsLeft = Self.rowLimit
        for shard in self.shards {
            if let start, shard < start.position.shard { continue }
            var key = shard == start?.position.shard ? start?.key : nil
            var isAtEnd = false
            while !isAtEnd {
                try Task.checkCancellation()
                let read = try await self.holdings.store.streams(in: shard, after: key, limit: Self.step)
                // Streams of other kinds come after all of these.
                let rows = read.prefix { ($0.key.first ?? 0) <= StreamKind.purchase.rawValue }
                isAtEnd = rows.count < Self.step
                let found = try await self.listings(
                    of: rows, in: shard, filter, at: page.asOf, atMost: limit - page.listings.count)
                for (row, listing) in found {
                    page.listings.append(listing)
                    guard page.listings.count == limit else { continue }
                    page.next = try await self.holdings.positions.cursor(after: row, in: shard)
                    return page
                }
                rowsLeft -= max(rows.count, Self.leastCost)
                guard let last = rows.last else { break }
                key = last.key
                if rowsLeft <= 0 {
                    page.next = try await self.holdings.positions.cursor(after: last, in: shard)
                    return page
                }
            }
        }
        return page
    }

    private func listings(
        of rows: ArraySlice<StreamRow>, in shard: ShardID, _ filter: CustomerFilter, at now: Moment, atMost limit: Int
    ) async throws -> [(StreamRow, CustomerListing)] {
        var found: [(row: StreamRow, state: StreamState, snapshot: SubscriptionSnapshot)] = []
        // Whether a conflict still waits, whose each is, and what else they pay for, is seen later.
        for row in rows where filter.needsCustomers || found.count < limit {
            guard let key = StreamKey(bytes: row.key), filter.includes(key) else { continue }
            let state = try await self.holdings.store.loadState(row, key: key, in: shard)
            guard !filter.hasConflicts || !state.leads.conflicts.isEmpty,
                let snapshot = state.snapshot(at: now, rules: self.holdings.rules), filter.includes(snapshot)
            else { continue }
            found.append((row, state, snapshot))
        }
        let links = self.holdings.links
        let directory = try await self.holdings.directory(
            found.reduce(into: CustomerDirectory.Needs()) { needs, one in
                needs.merge(links.needs(of: one.state))
            })
        let listings = found.compactMap { row, state, snapshot -> (StreamRow, CustomerListing)? in
            let customers = links.customers(of: state, directory)
            // Of one who has been moved to the one who has the purchase nothing waits any more.
            let conflicts = state.leads.conflicts.map { directory.end(of: links.hash($0)) ?? $0 }
                .filter { !customers.contains($0) }
            let listing = CustomerListing(snapshot: snapshot, customers: customers, conflicts: conflicts)
            guard !filter.hasConflicts || !conflicts.isEmpty,
                !filter.isUnclaimed || links.isUnclaimed(state, directory)
            else { return nil }
            return (row, listing)
        }
        return filter.isPaidTwice ? try await self.paidTwice(listings) : listings
    }

    /// Those that are one of two payments of a customer, with these.
    private func paidTwice(
        _ listings: [(StreamRow, CustomerListing)]
    ) async throws -> [(StreamRow, CustomerListing)] {
        let customers = Array(Set(listings.flatMap(\.1.customers)))
        let states = try await self.holdings.records(of: customers).map(\.state)
        let payments = Dictionary(uniqueKeysWithValues: zip(customers, states.map(\.duplicatePayments)))
        return listings.compactMap { row, listing in
            var listing = listing
            let duplicates = listing.customers.flatMap { payments[$0] ?? [] }.filter {
                [$0.first.by, $0.second.by].contains(.stream(listing.snapshot.key))
            }
            listing.duplicatePayments = duplicates
            return duplicates.isEmpty ? nil : (row, listing)
        }
    }
}

extension CustomerFilter {
    /// Whether a row is listed is known only with those who have it.
    fileprivate var needsCustomers: Bool { self.hasConflicts || self.isUnclaimed || self.isPaidTwice }

    fileprivate func includes(_ key: StreamKey) -> Bool {
        key.kind.givesAccess && key.environment == self.environment && self.bundleID.map { $0 == key.bundleID } ?? true
    }

    fileprivate func includes(_ snapshot: SubscriptionSnapshot) -> Bool {
        if let state, snapshot.state != state { return false }
        if let productID, snapshot.productID != productID { return false }
        let end = snapshot.expiresDate ?? snapshot.validUntil
        if let expiresBefore { guard let end, end < expiresBefore else { return false } }
        if let expiresFrom { guard let end, end >= expiresFrom else { return false } }
        return true
    }
}

extension PositionGuard {
    /// Where a list that has read as far as this row goes on.
    fileprivate func cursor(after row: StreamRow, in shard: ShardID) async throws(ServiceError) -> String {
        PageCursor(
            store: self.stamp, position: try await self.position(of: row.sequence, in: shard), key: row.key,
            version: row.version
        ).text
    }
}
