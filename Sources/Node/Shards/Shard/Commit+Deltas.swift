import EventLog
import Ownership
import WireProtocol

extension Commit {
    /// The events of the commit as subscribers get them.
    /// - Parameter tagBefore: of the event before the first; nil when it is not known.
    func deltas(
        _ origin: StreamOrigin, _ standing: ShardStanding, tagBefore: (LogSequence) -> UInt32?
    ) -> [StreamDelta] {
        let before = LogSequence(rawValue: self.head.rawValue - Int64(self.images.count))
        var previous = tagBefore(before).map { StreamPosition(sequence: before, tag: $0) }
        return self.images.enumerated().map { index, image in
            let sequence = LogSequence(rawValue: before.rawValue + Int64(index) + 1)
            let position = StreamPosition(sequence: sequence, tag: standing.incarnation.tag)
            defer { previous = position }
            return StreamDelta(
                origin: origin, epoch: standing.epoch, previous: previous, position: position, image: image)
        }
    }
}

extension Commit {
    /// Each event tells what answers by customer need of its stream, as the commit leaves it.
    mutating func addCustomers(_ customers: CustomerImages) {
        let encoded = self.changes.compactMapValues { change in
            let (after, kept) = (change.after, change.after.publisher)
            return
                (kept.map { customers.image(of: $0, after.version) }
                ?? customers.image(of: after.state, after.version, from: self.at))?.encoded()
        }
        for place in self.images.indices { self.images[place].customer = encoded[self.images[place].key] }
    }
}

extension ShardBatch {
    /// What each event leaves of its stream, in their order; the first of a stream tells of its look-ups.
    var images: [SubscriptionImage] {
        var lookups = self.lookups.isEmpty ? [:] : Dictionary(grouping: self.lookups, by: \.key)
        return self.events.map { event in
            SubscriptionImage(
                key: event.key, version: event.version, entitlement: event.entitlement,
                lookups: lookups.isEmpty ? [] : lookups.removeValue(forKey: event.key) ?? [])
        }
    }
}
