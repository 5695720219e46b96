import Subscriptions

/// How much a customer may have.
extension CustomerState {
    package static let grantLimit = 50
    /// Of all grants together, by their `size`.
    package static let grantBytes = 12 * 1_024
    package static let attributeLimit = 32
    /// Of names and values together, in bytes.
    package static let attributeBytes = 1_024
    package static let takeLimit = 4
    package static let nameLimit = 128
    package static let duplicateLimit = 8
    package static let departureLimit = 32

    /// Whether a customer may have `grant` beside the others of `grants`.
    static func fits(_ grant: Grant, beside grants: [Grant], _ room: Room = Room()) -> Bool {
        let others = grants.filter { $0.key != grant.key }
        let bytes = others.reduce(grant.size + room.bytes) { $0 + $1.size }
        return others.count + 1 + room.grants <= self.grantLimit && bytes <= self.grantBytes
    }

    static func fits(_ attributes: [String: AttributeValue]) -> Bool {
        attributes.count <= self.attributeLimit
            && attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.size } <= self.attributeBytes
    }

    /// The room that is kept free for others.
    /// - Parameter customer: none is for this one.
    func reserved(besides customer: CustomerID? = nil) -> Room {
        self.takes.filter { $0.customer != customer }.reduce(Room(names: 0)) { $0 + $1.room }
    }

    /// Whether there is this room beside what has not ended and what is kept free. Who brings no grant needs none for them.
    func hasRoom(_ room: Room, for customer: CustomerID, at moment: Moment) -> Bool {
        let live = self.grants.filter { $0.isLive(at: moment) }
        let all = self.reserved(besides: customer) + room
        return room.grants == 0
            || live.count + all.grants <= Self.grantLimit
                && live.reduce(all.bytes, { $0 + $1.size }) <= Self.grantBytes
    }
}

extension Room {
    fileprivate static func + (left: Room, right: Room) -> Room {
        Room(
            names: left.names + right.names, grants: left.grants + right.grants, bytes: left.bytes + right.bytes)
    }
}
