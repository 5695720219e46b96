/// What a customer brings along when it moves.
package struct Belongings: Hashable, Sendable {
    package var grants: [Grant]
    package var attributes: [String: AttributeValue]
    /// Of those who have moved to it, with those who had moved to them: as `origin`.
    package var arrived: [UInt64]
    /// What had happened by then has happened, whatever the clock says by which it is judged.
    package var asOf: Moment
    /// `IdentifierHash.half` of the customer's id.
    package var origin: UInt64

    package init(
        grants: [Grant] = [], attributes: [String: AttributeValue] = [:], arrived: [UInt64] = [],
        asOf moment: Moment = .distantPast, of origin: UInt64
    ) {
        self.grants = grants
        self.attributes = attributes
        self.arrived = arrived
        self.asOf = moment
        self.origin = origin
    }
}

/// The room that a customer's belongings take among another one's, kept free until they come.
package struct Room: Hashable, Sendable {
    package var names: Int
    /// Grants that have not ended, and their `size` together.
    package var grants: Int
    package var bytes: Int

    package init(names: Int = 1, grants: Int = 0, bytes: Int = 0) {
        self.names = names
        self.grants = grants
        self.bytes = bytes
    }
}

/// What a target loses when a move to it is taken back.
package struct ReturnedBelongings: Hashable, Sendable {
    package var grants: [GrantKey]
    /// Names of attributes.
    package var attributes: [String]
    /// Of those who leave: as `Belongings.arrived`.
    package var origins: [UInt64]

    package init(grants: [GrantKey] = [], attributes: [String] = [], origins: [UInt64] = []) {
        self.grants = grants
        self.attributes = attributes
        self.origins = origins
    }
}

/// Asks to let a customer go who has moved here. It has gone once its own stream says so.
package struct GiveBack: Hashable, Sendable {
    package var customer: CustomerID
    /// Of the customer's stream, at which alone it may go.
    package var version: Int64
    package var room: Room
    package var belongings: ReturnedBelongings
    /// Of the stream that is asked, when `belongings` was read from it.
    package var seen: Int64

    package init(
        _ customer: CustomerID, at version: Int64, _ room: Room, _ belongings: ReturnedBelongings, seen: Int64
    ) {
        self.customer = customer
        self.version = version
        self.room = room
        self.belongings = belongings
        self.seen = seen
    }
}
