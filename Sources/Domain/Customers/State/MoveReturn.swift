package import Subscriptions

/// The plan of a move's undo: everything that the move brought returns, unless it has changed since. If two sources brought the same
/// attribute, the target has the first one's, and the undo of the first move removes it.
package struct MoveReturn: Hashable, Sendable {
    /// To ask of the target.
    package let request: GiveBack
    /// Grants that do not come back, as the source names them. It has to have forgotten them before `request` is sent.
    package let keptGrants: [GrantKey]
    /// Ids of grants that came with it and do not come back, also where an earlier attempt has seen to that.
    package let changedGrants: [String]
    /// Names of attributes that came with it and stay.
    package let changedAttributes: [String]

    /// A customer's own stream, as it was read.
    package struct Side {
        var customer: CustomerID
        var state: CustomerState
        var version: Int64

        package init(_ customer: CustomerID, _ state: CustomerState, at version: Int64) {
            self.customer = customer
            self.state = state
            self.version = version
        }
    }

    /// The target before and after it first got what the source brought along with its last move.
    package struct Arrival {
        var before = CustomerState()
        var after = CustomerState()

        /// - Parameter records: all of the target's stream, with the moment each was recorded.
        package init(of source: CustomerID, in records: some Sequence<(record: CustomerRecord, at: Moment)>) {
            var state = CustomerState()
            var isThere = false
            for (record, moment) in records {
                let before = state
                state.apply(record, at: moment)
                switch record.content {
                case .takes(source, _, _):
                    (self.before, self.after, isThere) = (CustomerState(), CustomerState(), false)
                case .taken(source, _) where !isThere: (self.before, self.after, isThere) = (before, state, true)
                default: break
                }
            }
        }
    }

    /// - Parameters:
    ///   - source: that has been moved.
    ///   - origin: `IdentifierHash.half` of its id.
    ///   - target: to whom.
    ///   - moment: now.
    package init(
        of source: Side, _ origin: UInt64, at target: Side, _ arrival: Arrival, _ moment: Moment
    ) {
        var belongings = ReturnedBelongings(origins: [origin] + source.state.arrived)
        var there = target.state.grants
        let (before, after) = (arrival.before, arrival.after)
        // What the source has forgotten does not come back, even if it is again as it was.
        let own = Set(source.state.grants.map { GrantKey($0.id, under: $0.origin ?? origin) })
        let brought = after.attributes.filter { before.attributes[$0.key] == nil }
        var left: [String] = []
        if let take = target.state.takes.first(where: { $0.customer == source.customer }) {
            // What has not come yet, or has left, is not there.
            left = take.attributes ?? []
        } else {
            there = before.grants + after.grants
            belongings.grants = after.grants.filter { grant in
                own.contains(grant.key) && target.state.grants.contains(grant)
                    && !before.grants.contains { $0.key == grant.key }
            }
            .map(\.key)
            belongings.attributes = brought.filter { target.state.attributes[$0.key] == $0.value }.keys.sorted()
            left = belongings.attributes
        }
        self.changedAttributes = brought.keys.filter { !left.contains($0) }.sorted()
        // One that the target has no more may be somebody else's by now.
        self.keptGrants = source.state.grants.map(\.key).filter { key in
            let brought = GrantKey(key.id, under: key.origin ?? origin)
            return there.contains { $0.key == brought } && !belongings.grants.contains(brought)
        }
        let returning = Set(source.state.grants.map(\.key)).subtracting(self.keptGrants)
        self.changedGrants = after.grants.map(\.key).filter { key in
            !before.grants.contains { $0.key == key }
                && !returning.contains(GrantKey(key.id, under: key.origin == origin ? nil : key.origin))
        }
        .map(\.id)
        self.request = GiveBack(
            source.customer, at: source.version, source.state.room(at: moment), belongings, seen: target.version)
    }
}
