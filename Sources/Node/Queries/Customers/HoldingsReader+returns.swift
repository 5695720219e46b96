package import Customers
import EventLog
import Ownership
package import ServiceContract
import Shards
package import Subscriptions

/// What it takes to take the move of a customer back.
extension HoldingsReader {
    /// - Parameters:
    ///   - source: that has been moved, as `record` says.
    ///   - target: to whom, as `other` says.
    package func moveReturn(
        of source: CustomerID, _ record: Record, at target: CustomerID, _ other: Record, now: Moment
    ) async throws -> MoveReturn {
        let key = self.key(of: target)
        let records = try await self.store.history(of: key, in: self.map.shard(of: key.id)).compactMap { at, event in
            event.customer.map { (record: $0, at: at) }
        }
        return MoveReturn(
            of: .init(source, record.state, at: record.version.rawValue), self.hash(source).half,
            at: .init(target, other.state, at: other.version.rawValue),
            MoveReturn.Arrival(of: source, in: records), now)
    }

    /// Streams and identifiers that led to a customer at a moment, and lead elsewhere because of what has been said since.
    package func changed(since moment: Moment, of customer: CustomerID) async throws -> [NotUndone] {
        let families = try await self.families(of: [customer])
        let hash = self.hash(customer)
        var changed: [NotUndone] = []
        for bytes in (families.candidates[customer] ?? []).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let key = StreamKey(bytes: bytes) else { continue }
            func events() async throws -> [SubscriptionEvent] {
                try await self.store.storedHistory(of: key, in: self.map.shard(of: key.id))
                    .filter { Moment(milliseconds: $0.at) <= moment }.map { try $0.decoded() }
            }
            if let state = families.streams[bytes] {
                guard self.links.resolution(of: state, families.directory).reason(of: hash) == nil else { continue }
                var earlier = StreamState(key: key)
                for event in try await events() { earlier.apply(event) }
                guard self.links.resolution(of: earlier, families.directory).reason(of: hash) != nil else { continue }
                changed.append(.stream(key))
            } else if let state = families.identifiers[bytes], state.holder != customer {
                var earlier = RegisteredIdentifier()
                for registration in try await events().compactMap(\.registration) { earlier.apply(registration) }
                guard earlier.holder == customer,
                    let identifier = state.identifier.flatMap({ RegistrableIdentifier(key.kind, $0) })
                else { continue }
                changed.append(.identifier(identifier))
            }
        }
        return changed
    }
}
