import Customers
import EventLog
import Ownership
import Subscriptions
import WireProtocol

/// All that leads to a customer.
struct CustomerBelongings {
    var streams: [HeldStream] = []
    var grants: [Grant] = []
    var isMoved = false
    /// Shards in which what it rests on is, and identifiers in whose shards it is.
    var shards: Set<ShardID> = []
    var identifiers: [(kind: IdentifierHash.Kind, hash: IdentifierHash)] = []

    var isEmpty: Bool { self.streams.isEmpty && self.grants.isEmpty && !self.isMoved }
}

/// Finds in rows what leads to whom. It remembers what it has read, so it is for one question, during which the rows stay as they are.
final class CustomerResolver {
    typealias Found = CustomerRows.Found

    private let rows: CustomerRows
    private var read: [Int: Found?] = [:]

    init(_ rows: CustomerRows) { self.rows = rows }

    func row(_ id: CustomerRows.RowID) -> Found? { self.rows.number(of: id).flatMap(self.found) }

    private func rows(naming id: CustomerRows.RowID) -> [Found] {
        self.rows.numbers(naming: id).compactMap(self.found).filter { $0.names.contains(id) }
    }

    private func found(_ number: Int) -> Found? {
        if let found = self.read[number] { return found }
        let found = self.rows.found(number)
        self.read[number] = .some(found)
        return found
    }

    func holdings(of customer: IdentifierHash, _ rules: StreamRules) -> CustomerBelongings {
        var holdings = CustomerBelongings(identifiers: [(.customer, customer)])
        let own = self.row(customer)?.granted ?? GrantedImage()
        guard own.movedTo == nil else {
            holdings.isMoved = true
            return holdings
        }
        holdings.grants = own.grants
        for other in own.takes {
            guard let granted = self.row(other)?.granted, granted.movedTo == customer else { continue }
            holdings.grants += granted.grants
            holdings.identifiers.append((.customer, other))
        }
        let members = self.members(of: customer)
        holdings.identifiers += members.dropFirst().map { (.customer, $0) }
        for stream in self.candidates(of: members) {
            guard case .held(let leads, let phases) = stream.image.content else { continue }
            let app = rules.app(stream.key.bundleID)
            let resolution = Resolution(leads, in: RowsOfStream(self, stream.key), tokens: app.tokens)
            guard resolution.reason(of: customer) != nil else { continue }
            var token: IdentifierHash?
            if case .carried(let carried, _) = leads.token { token = carried }
            holdings.streams.append(
                HeldStream(
                    key: stream.key, phases: phases, countsInProduction: app.sandboxCounts(members, token: token)))
            for line in self.ancestry(of: stream) {
                holdings.shards.insert(line.shard)
                holdings.identifiers += line.leads?.identifiers ?? []
            }
        }
        return holdings
    }

    /// A stream, and those from which it goes on, the newest first.
    private func ancestry(of stream: Found) -> [Found] {
        var line = [stream]
        while line.count <= Resolution.predecessorLimit, let last = line.last,
            let predecessor = last.leads?.predecessor,
            let next = self.row(CustomerRows.digest(last.key.predecessor(predecessor).bytes))
        {
            line.append(next)
        }
        return line
    }

    /// The customer, and all who have moved to it.
    private func members(of customer: IdentifierHash) -> [IdentifierHash] {
        var members = [customer]
        var next = 0
        while next < members.count {
            for row in self.rows(naming: members[next])
            where row.granted?.movedTo == members[next] && !members.contains(row.id) {
                members.append(row.id)
            }
            next += 1
        }
        return members
    }

    /// The streams that may lead to one of these customers: by their own names, by what they have registered, or since a stream
    /// does from which they go on.
    private func candidates(of customers: [IdentifierHash]) -> [Found] {
        var streams: [CustomerRows.RowID: Found] = [:]
        var next: [Found] = []
        func add(_ rows: [Found]) {
            for row in rows where row.key.kind.givesAccess && streams.updateValue(row, forKey: row.id) == nil {
                next.append(row)
            }
        }
        for customer in customers {
            let rows = self.rows(naming: customer)
            add(rows)
            for row in rows where row.key.kind == .token || row.key.kind == .account { add(self.rows(naming: row.id)) }
        }
        for _ in 0..<Resolution.predecessorLimit {
            guard !next.isEmpty else { break }
            let streams = next
            next = []
            for stream in streams { add(self.rows(naming: stream.id)) }
        }
        return Array(streams.values)
    }

    // MARK: Whom a change concerns

    /// All customers whose answers may have changed with a row.
    func concerned(by replacement: CustomerRows.Replacement) -> Set<IdentifierHash> {
        let (before, after) = (replacement.before, replacement.after)
        var customers = Set(self.own(after)).union(before.map(self.own) ?? [])
        let carriers =
            after.key.kind.givesAccess ? [after] : after.key.kind == .customer ? [] : self.rows(naming: after.id)
        for carrier in carriers where carrier.key.kind.givesAccess {
            for stream in self.line(from: carrier) { customers.formUnion(self.named(by: stream)) }
        }
        return customers.reduce(into: customers) { all, customer in all.formUnion(self.chain(from: customer)) }
    }

    /// Those whom a row names itself, by what it is alone.
    private func own(_ row: Found) -> [IdentifierHash] {
        switch row.image.content {
        case .held: self.named(by: row)
        case .granted(let granted): [row.id] + [granted.movedTo].compactMap(\.self) + granted.takes
        case .holder(let holder): [holder].compactMap(\.self)
        }
    }

    /// A stream, and those that go on from it.
    private func line(from row: Found) -> [Found] {
        var (line, last) = ([row], [row])
        for _ in 0..<Resolution.predecessorLimit {
            last = last.flatMap { self.rows(naming: $0.id) }.filter { found in
                found.key.kind.givesAccess && !line.contains { $0.id == found.id }
            }
            guard !last.isEmpty else { break }
            line += last
        }
        return line
    }

    /// Customers whom a stream names, or one from which it goes on, and those who have registered what they carry.
    private func named(by row: Found) -> [IdentifierHash] {
        self.ancestry(of: row).compactMap(\.leads).flatMap { leads in
            leads.customers + leads.identifiers.compactMap { self.row($0.1)?.holder }
        }
    }

    /// Where everything of a customer goes, step by step.
    private func chain(from customer: IdentifierHash) -> [IdentifierHash] {
        var chain: [IdentifierHash] = []
        var next = self.row(customer)?.granted?.movedTo
        while let customer = next, chain.count < Resolution.moveLimit {
            chain.append(customer)
            next = self.row(customer)?.granted?.movedTo
        }
        return chain
    }
}

extension CustomerRows.Found {
    fileprivate var leads: LeadImage? {
        if case .held(let leads, _) = self.image.content { leads } else { nil }
    }

    fileprivate var granted: GrantedImage? {
        if case .granted(let granted) = self.image.content { granted } else { nil }
    }

    fileprivate var holder: IdentifierHash? {
        if case .holder(let holder) = self.image.content { holder } else { nil }
    }
}

/// What resolution asks of the rows, for a stream of one app.
private struct RowsOfStream: IdentifierRows {
    private let rows: CustomerResolver
    private let key: StreamKey

    init(_ rows: CustomerResolver, _ key: StreamKey) {
        self.rows = rows
        self.key = key
    }

    func holder(ofToken token: IdentifierHash) -> IdentifierHash? { self.rows.row(token)?.holder }

    func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash? { self.rows.row(id)?.holder }

    func successor(of customer: IdentifierHash) -> IdentifierHash? { self.rows.row(customer)?.granted?.movedTo }

    func leads(of predecessor: OriginalTransactionID) -> LeadImage? {
        let id = CustomerRows.digest(self.key.predecessor(predecessor).bytes)
        guard case .held(let leads, _)? = self.rows.row(id)?.image.content else { return nil }
        return leads
    }
}
