package import Customers
import EventLog
package import Subscriptions

/// Where customers have moved, and who has registered identifiers, as far as it has been read.
package struct CustomerDirectory: IdentifierRows, Sendable {
    /// By the hash of a customer or an identifier: the customer to whom it leads on.
    private var targets: [IdentifierHash: (hash: IdentifierHash, id: CustomerID)] = [:]

    package init() {}

    /// - Parameters:
    ///   - hash: of a customer that has been moved, or of an identifier that somebody has registered.
    ///   - target: to whom it leads on; `id` by name.
    package mutating func note(_ hash: IdentifierHash, to target: IdentifierHash, _ id: CustomerID) {
        self.targets[hash] = (target, id)
    }

    /// Whose everything of a customer is, or to whom an identifier leads by its registration; nil where it leads no further.
    package func end(of hash: IdentifierHash) -> CustomerID? {
        var end: CustomerID?
        var next = hash
        // The first step may be from an identifier.
        for _ in 0...Resolution.moveLimit {
            guard let target = self.targets[next] else { return end }
            (next, end) = (target.hash, target.id)
        }
        return end
    }

    package func holder(ofToken token: IdentifierHash) -> IdentifierHash? { self.targets[token]?.hash }
    package func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash? { self.targets[id]?.hash }
    package func successor(of customer: IdentifierHash) -> IdentifierHash? { self.targets[customer]?.hash }
    package func leads(of predecessor: OriginalTransactionID) -> LeadImage? { nil }
}

extension CustomerDirectory {
    /// The streams on which a question depends, with what they are about.
    package typealias Needs = [StreamKey: IdentifierHash]

    /// Reads these, and all to which they lead on.
    /// - Parameter read: gives what is kept in streams.
    package init(
        _ needs: Needs, by judge: LinkJudge, read: ([StreamKey]) async throws -> [(StreamKey, PublisherState)]
    ) async throws {
        self.init()
        var (known, next) = (Set(needs.keys), needs)
        while !next.isEmpty {
            let asked = next
            next = [:]
            for (key, kept) in try await read(Array(asked.keys)) {
                guard let hash = asked[key], let target = kept.next else { continue }
                let targetHash = judge.hash(target)
                self.note(hash, to: targetHash, target)
                let targetKey = StreamKey(.customer, targetHash)
                if known.insert(targetKey).inserted { next[targetKey] = targetHash }
            }
        }
    }
}

extension LinkJudge {
    /// On which a request about a stream depends, beside the customer that it names.
    package func needs(of leads: StreamLeads) -> CustomerDirectory.Needs {
        let image = LeadImage(leads, hash: self.hashing.hash)
        var needs = Dictionary(
            (image.customers + leads.conflicts.map(self.hash)).map { (StreamKey(.customer, $0), $0) }
        ) { first, _ in first }
        for (kind, hash) in image.identifiers { needs[StreamKey(kind, hash)] = hash }
        return needs
    }

    /// Those to whom a stream may lead by what is kept of it, as they are by now, each once.
    package func named(in leads: StreamLeads, _ directory: CustomerDirectory) -> [CustomerID] {
        let holders = LeadImage(leads, hash: self.hashing.hash).identifiers.compactMap { directory.end(of: $0.1) }
        let token = (leads.token?.value ?? nil).flatMap { CustomerID($0.rawValue) }
        let others = leads.linkedCustomers + leads.conflicts + [token].compactMap(\.self)
        return others.map { directory.end(of: self.hash($0)) ?? $0 }.reduce(into: holders) { named, customer in
            if !named.contains(customer) { named.append(customer) }
        }
    }

    /// The one who has the stream, then those who share it.
    package func customers(of state: StreamState, _ directory: CustomerDirectory) -> [CustomerID] {
        let named = self.named(in: state.leads, directory)
        return self.resolution(of: state, directory).customers.compactMap { hash in
            named.first { self.hash($0) == hash }
        }
    }

    package func need(of customer: CustomerID) -> CustomerDirectory.Needs {
        let hash = self.hash(customer)
        return [StreamKey(.customer, hash): hash]
    }
}

extension LoadQueue {
    /// Where customers have moved, and who has registered identifiers, to the ends.
    func directory(_ needs: CustomerDirectory.Needs, by judge: LinkJudge) async throws -> CustomerDirectory {
        try await CustomerDirectory(needs, by: judge) { keys in
            var kept: [(StreamKey, PublisherState)] = []
            for (shard, row) in try await self.rows(of: keys) {
                guard let key = StreamKey(bytes: row.key),
                    let content = try await self.store.loadPublisherState(row, key: key, in: shard)
                else { continue }
                kept.append((key, content))
            }
            return kept
        }
    }
}
