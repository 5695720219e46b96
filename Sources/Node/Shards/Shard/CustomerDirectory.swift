package import Customers
import EventLog
package import Subscriptions

/// Where customers have moved, who has registered identifiers, and what leads from streams that supersede others or are superseded, as
/// far as it has been read.
package struct CustomerDirectory: Sendable {
    /// By the hash of a customer or an identifier: the customer to whom it leads on.
    private var targets: [IdentifierHash: (hash: IdentifierHash, id: CustomerID)] = [:]
    private var streams: [StreamKey: StreamState] = [:]

    package init() {}

    /// - Parameters:
    ///   - hash: of a customer that has been moved, or of an identifier that somebody has registered.
    ///   - target: to whom it leads on; `id` by name.
    package mutating func note(_ hash: IdentifierHash, to target: IdentifierHash, _ id: CustomerID) {
        self.targets[hash] = (target, id)
    }

    /// - Parameter state: of a stream that another one supersedes, or that supersedes another one.
    package mutating func note(_ state: StreamState) { self.streams[state.key] = state }

    func target(of hash: IdentifierHash) -> IdentifierHash? { self.targets[hash]?.hash }

    /// The streams that a stream supersedes, the newest first.
    package func predecessors(of state: StreamState) -> [StreamState] {
        var (found, last) = ([StreamState](), state)
        while found.count < Resolution.predecessorLimit, let next = last.predecessor.flatMap({ self.streams[$0] }) {
            found.append(next)
            last = next
        }
        return found
    }

    /// The streams that supersede a stream, and those that supersede these.
    package func successors(of state: StreamState) -> [StreamState] {
        var (found, next) = ([StreamState](), [state])
        for _ in 0..<Resolution.predecessorLimit {
            let known = Set((found + [state]).map(\.key))
            next = next.flatMap(\.successors).filter { !known.contains($0) }.compactMap { self.streams[$0] }
            found += next
        }
        return found
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

}

/// The directory as one stream sees it: the predecessors that are named are of its own app and environment.
struct DirectoryOfStream: IdentifierRows {
    private let directory: CustomerDirectory
    private let predecessors: [StreamState]
    private let hashing: IdentifierKey

    init(_ directory: CustomerDirectory, of state: StreamState, _ hashing: IdentifierKey) {
        self.directory = directory
        self.predecessors = directory.predecessors(of: state)
        self.hashing = hashing
    }

    func holder(ofToken token: IdentifierHash) -> IdentifierHash? { self.directory.target(of: token) }
    func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash? { self.directory.target(of: id) }
    func successor(of customer: IdentifierHash) -> IdentifierHash? { self.directory.target(of: customer) }

    func leads(of predecessor: OriginalTransactionID) -> LeadImage? {
        self.predecessors.first { $0.key.id == predecessor.rawValue }.map {
            LeadImage($0.leads, hash: self.hashing.hash)
        }
    }
}

extension CustomerDirectory {
    /// What a question depends on.
    package struct Needs {
        /// Streams of customers and identifiers, with what they are about.
        package var identifiers: [StreamKey: IdentifierHash] = [:]
        /// Streams that supersede others, or are superseded.
        package var streams: Set<StreamKey> = []

        package init(_ identifiers: [StreamKey: IdentifierHash] = [:]) { self.identifiers = identifiers }

        package mutating func merge(_ other: Needs) {
            self.identifiers.merge(other.identifiers) { first, _ in first }
            self.streams.formUnion(other.streams)
        }

        fileprivate var keys: [StreamKey] { Array(self.identifiers.keys) + self.streams }
        fileprivate mutating func subtract(_ known: Set<StreamKey>) {
            for key in known { self.identifiers[key] = nil }
            self.streams.subtract(known)
        }
    }

    /// What one stream keeps.
    package enum Row {
        case publisher(StreamKey, PublisherState)
        case stream(StreamState)
    }

    /// Reads these, and all to which they lead on.
    /// - Parameter read: gives what is kept in streams.
    package init(
        _ needs: Needs, by judge: LinkJudge, read: ([StreamKey]) async throws -> [Row]
    ) async throws {
        self.init()
        var (known, next, rounds) = (Set<StreamKey>(), needs, 0)
        while !next.keys.isEmpty {
            let asked = next
            known.formUnion(asked.keys)
            next = Needs()
            for row in try await read(asked.keys) {
                switch row {
                case .stream(let state):
                    self.note(state)
                    next.merge(judge.needs(of: state))
                case .publisher(let key, let kept):
                    guard let hash = asked.identifiers[key], let target = kept.next else { continue }
                    self.note(hash, to: judge.hash(target), target)
                    next.merge(judge.need(of: target))
                }
            }
            next.subtract(known)
            rounds += 1
            if rounds == Resolution.predecessorLimit { next.streams = [] }
        }
    }
}

extension LinkJudge {
    /// On which a request about a stream depends, beside the customer that it names.
    package func needs(of state: StreamState) -> CustomerDirectory.Needs {
        let image = LeadImage(state.leads, hash: self.hashing.hash)
        var needs = CustomerDirectory.Needs()
        for hash in image.customers + state.leads.conflicts.map(self.hash) {
            needs.identifiers[StreamKey(.customer, hash)] = hash
        }
        for (kind, hash) in image.identifiers { needs.identifiers[StreamKey(kind, hash)] = hash }
        needs.streams.formUnion([state.predecessor].compactMap(\.self) + state.successors)
        return needs
    }

    /// Those to whom a stream may lead by what is kept of it, as they are by now, each once.
    package func named(in state: StreamState, _ directory: CustomerDirectory) -> [CustomerID] {
        ([state] + directory.predecessors(of: state)).flatMap { self.named(in: $0.leads, directory) }
            .reduce(into: []) { named, customer in
                if !named.contains(customer) { named.append(customer) }
            }
    }

    private func named(in leads: StreamLeads, _ directory: CustomerDirectory) -> [CustomerID] {
        let holders = LeadImage(leads, hash: self.hashing.hash).identifiers.compactMap { directory.end(of: $0.1) }
        let token = (leads.token?.value ?? nil).flatMap { CustomerID($0.rawValue) }
        let others = leads.linkedCustomers + leads.conflicts + [token].compactMap(\.self)
        return holders + others.map { directory.end(of: self.hash($0)) ?? $0 }
    }

    /// The one who has the stream, then those who share it.
    package func customers(of state: StreamState, _ directory: CustomerDirectory) -> [CustomerID] {
        let named = self.named(in: state, directory)
        return self.resolution(of: state, directory).customers.compactMap { hash in
            named.first { self.hash($0) == hash }
        }
    }

    package func need(of customer: CustomerID) -> CustomerDirectory.Needs {
        let hash = self.hash(customer)
        return CustomerDirectory.Needs([StreamKey(.customer, hash): hash])
    }
}

extension LoadQueue {
    /// Where customers have moved, and who has registered identifiers, to the ends.
    func directory(_ needs: CustomerDirectory.Needs, by judge: LinkJudge) async throws -> CustomerDirectory {
        try await CustomerDirectory(needs, by: judge) { keys in
            var rows: [CustomerDirectory.Row] = []
            for (shard, row) in try await self.rows(of: keys) {
                guard let key = StreamKey(bytes: row.key) else { continue }
                if let kept = try await self.store.loadPublisherState(row, key: key, in: shard) {
                    rows.append(.publisher(key, kept))
                } else {
                    rows.append(.stream(try await self.store.loadState(row, key: key, in: shard)))
                }
            }
            return rows
        }
    }
}
