package import Subscriptions

/// The fold of a customer's own stream: what people at the publisher's have said of the customer, in its order, and what it was told to
/// have. It stays below 16 KB whatever the history, beside some 150 bytes for each name of the catalog that it was told to have, and as much
/// for each of the few payments that it makes twice.
package struct CustomerState: Hashable, Sendable {
    /// Raised whenever the same log may lead to another state; the state row carries it.
    package static let logicVersion = 2

    /// nil where no event has said it, or it has been erased.
    package private(set) var customer: CustomerID?
    /// In the order in which they were first made, those that have ended too as long as there is room for them.
    package private(set) var grants: [Grant]
    package private(set) var attributes: [String: AttributeValue]
    /// Others who may have moved here. Once that is settled what they brought along is among the customer's own.
    package private(set) var takes: [Take]
    /// The origins of what others brought along who have moved here, or had moved to them.
    package private(set) var arrived: [UInt64]
    /// Those who have moved here and taken that back, by their origins, with the version of their streams at which they did: no request that has begun
    /// before counts any more. The newest `departureLimit`.
    package private(set) var departed: [Departure]
    /// Whose everything of this customer is; nil when it has not been moved.
    package private(set) var movedTo: CustomerID?
    /// When the newest event was recorded, here or where what was brought along comes from.
    package private(set) var changedAt: Moment
    /// The names of the catalog that it was told to have.
    package private(set) var told: [EntitlementName: ToldAnswer]
    /// What it pays for twice, and was told: the first `duplicateLimit`.
    package private(set) var duplicatePayments: [DuplicatePayment]

    package struct Departure: Hashable, Sendable {
        package var origin: UInt64
        package var version: Int64

        package init(_ origin: UInt64, at version: Int64) {
            self.origin = origin
            self.version = version
        }
    }

    package struct Take: Hashable, Sendable {
        package var customer: CustomerID
        /// Of its stream; at another one it does not move.
        package var version: Int64
        /// That what it brings along has.
        package var room: Room
        /// It has moved here, and takes that back.
        package var returns: Bool
        /// Of one that returns: names of attributes that have left with it; nil where none of them has come yet.
        package var attributes: [String]?

        package init(
            _ customer: CustomerID, at version: Int64, _ room: Room = Room(), returns: Bool = false,
            attributes: [String]? = nil
        ) {
            self.customer = customer
            self.version = version
            self.room = room
            self.returns = returns
            self.attributes = attributes
        }
    }

    /// - Parameters: as they were stored.
    package init(
        _ customer: CustomerID? = nil, grants: [Grant] = [], attributes: [String: AttributeValue] = [:],
        takes: [Take] = [], arrived: [UInt64] = [], departed: [Departure] = [], movedTo: CustomerID? = nil,
        changedAt: Moment = .distantPast, told: [EntitlementName: ToldAnswer] = [:],
        duplicatePayments: [DuplicatePayment] = []
    ) {
        self.customer = customer
        self.grants = grants
        self.attributes = attributes
        self.takes = takes
        self.arrived = arrived
        self.departed = departed
        self.movedTo = movedTo
        self.changedAt = changedAt
        self.told = told
        self.duplicatePayments = duplicatePayments
    }

    /// How many customers this one is: itself, and those who have arrived.
    package var names: Int { self.arrived.count + 1 }

    /// Where a grant is among those that `id` may mean, the likeliest first.
    /// - Parameter origins: of the id under which it is asked for, and of those that had moved to that; none for the customer's own id,
    ///   under which what others have brought along is found after its own.
    package func grants(_ id: String, under origins: [UInt64]) -> [Grant] {
        let named = self.grants.filter { $0.id == id }
        guard !origins.isEmpty else { return named.filter { $0.origin == nil } + named.filter { $0.origin != nil } }
        return origins.flatMap { origin in named.filter { $0.origin == origin } }
    }

    /// The grants for whoever judges them by a clock that may be behind the one by which they were recorded: what had happened
    /// by then has happened.
    package func grants(seenAt moment: Moment) -> [Grant] {
        self.grants.map { grant in
            var grant = grant
            if grant.from <= self.changedAt { grant.from = min(grant.from, moment) }
            grant.revokedAt = grant.revokedAt.map { min($0, moment) }
            return grant
        }
    }

    /// What it brings along when it moves.
    /// - Parameter origin: `IdentifierHash.half` of its id.
    package func belongings(of origin: UInt64) -> Belongings {
        Belongings(
            grants: self.grants, attributes: self.attributes, arrived: self.arrived, asOf: self.changedAt, of: origin)
    }

    /// That its belongings take.
    package func room(at moment: Moment) -> Room {
        let live = self.grants.filter { $0.isLive(at: moment) }
        // Each gets an origin when it moves.
        return Room(names: self.names, grants: live.count, bytes: live.reduce(0) { $0 + $1.size + 9 })
    }

    /// Whether nothing differs but what it was told.
    package func answersLike(_ other: Self) -> Bool {
        self.grants == other.grants && self.attributes == other.attributes && self.takes == other.takes
            && self.arrived == other.arrived && self.movedTo == other.movedTo
    }

    // MARK: Folding

    /// Folds one recorded event.
    /// - Parameter moment: when it was recorded.
    package mutating func apply(_ record: CustomerRecord, at moment: Moment) {
        self.changedAt = max(self.changedAt, moment)
        if let customer = record.customer { self.customer = customer }
        switch record.content {
        case .granted(let grant):
            self.makeRoom(for: grant, at: moment)
            if let place = self.grants.firstIndex(where: { $0.key == grant.key }) {
                self.grants[place] = grant
            } else {
                self.grants.append(grant)
            }
        case .revoked(let key, let revokedAt):
            if let place = self.grants.firstIndex(where: { $0.key == key }) { self.grants[place].revokedAt = revokedAt }
        case .attributes(let changes):
            for (name, value) in changes { self.attributes[name] = value }
        case .takes(let other, let version, let room):
            self.forget(other)
            if let other { self.takes.append(Take(other, at: version, room)) }
        case .drops(let other): self.forget(other)
        case .taken(let other, let belongings):
            let take = self.takes.first { $0.customer == other }
            self.forget(other)
            self.arrived += [belongings.origin] + belongings.arrived
            self.changedAt = max(self.changedAt, belongings.asOf)
            self.add(belongings, at: moment)
            // What has been removed since it left does not come again.
            let left = take?.attributes.map(Set.init)
            self.add(belongings.attributes.filter { left?.contains($0.key) ?? true })
        case .moved(let other): self.movedTo = other
        case .givesBack(let other, let version, let room, let belongings):
            let take = self.takes.first { $0.customer == other }
            self.forget(other)
            if let other {
                let attributes = take == nil ? belongings.attributes : take?.attributes
                self.takes.append(Take(other, at: version, room, returns: true, attributes: attributes))
            }
            if let origin = belongings.origins.first {
                self.departed.removeAll { $0.origin == origin }
                self.departed.append(Departure(origin, at: version))
                self.departed.removeFirst(max(0, self.departed.count - Self.departureLimit))
            }
            self.remove(belongings, at: version)
        case .left(let grants): self.grants.removeAll { grants.contains($0.key) }
        case .returned: self.movedTo = nil
        case .stays: break
        case .told(let change): self.told[change.name] = change.current.entitled ? change.current : nil
        case .duplicatePayment(let duplicate):
            self.close(duplicate)
            if self.duplicatePayments.count < Self.duplicateLimit { self.duplicatePayments.append(duplicate) }
        case .duplicatePaymentClosed(let duplicate): self.close(duplicate)
        }
    }

    private mutating func close(_ duplicate: DuplicatePayment) {
        self.duplicatePayments.removeAll { $0.isOfSamePair(as: duplicate) }
    }

    private mutating func forget(_ other: CustomerID?) { self.takes.removeAll { $0.customer == other } }

    /// Grants that stay lose the origin of the source: a later move of the source may bring a grant of the same id.
    private mutating func remove(_ belongings: ReturnedBelongings, at version: Int64) {
        self.grants.removeAll { belongings.grants.contains($0.key) }
        for place in self.grants.indices {
            let (id, origin) = (self.grants[place].id, self.grants[place].origin)
            guard let origin, belongings.origins.contains(origin) else { continue }
            let isTaken = self.grants.contains { $0.id == id && $0.origin == nil }
            self.grants[place].origin = isTaken ? (origin ^ 0x9E37_79B9_7F4A_7C15) &+ UInt64(bitPattern: version) : nil
        }
        for name in belongings.attributes { self.attributes[name] = nil }
        self.arrived.removeAll(where: belongings.origins.contains)
    }

    /// What has not ended gets its place; of what has ended as much stays as there is room for.
    private mutating func add(_ belongings: Belongings, at moment: Moment) {
        for var grant in belongings.grants {
            grant.origin = grant.origin ?? belongings.origin
            // What was said of it since is newer.
            if self.grants.contains(where: { $0.key == grant.key }) { continue }
            if grant.isLive(at: moment) { self.makeRoom(for: grant, at: moment) }
            if grant.isLive(at: moment) || Self.fits(grant, beside: self.grants) { self.grants.append(grant) }
        }
    }

    /// The customer's own go first, and of the others those that there is room for, in the order of their names.
    private mutating func add(_ others: [String: AttributeValue]) {
        for (name, value) in others.sorted(by: { $0.key < $1.key }) where self.attributes[name] == nil {
            var all = self.attributes
            all[name] = value
            if Self.fits(all) { self.attributes = all }
        }
    }

    /// Of the others that have ended the one that ended first goes: the log has it still.
    private mutating func makeRoom(for grant: Grant, at moment: Moment) {
        while !Self.fits(grant, beside: self.grants) {
            let ended = self.grants.enumerated().filter { $1.key != grant.key && !$1.isLive(at: moment) }
            guard let first = ended.min(by: { ($0.element.end ?? moment) < ($1.element.end ?? moment) }) else { return }
            self.grants.remove(at: first.offset)
        }
    }
}
