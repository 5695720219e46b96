import EventLog
import PerennialTestSupport
import Subscriptions

/// Appends renewals of 720 customers in random order, eight each, with rows of the usual sizes: an event of 350 bytes, a
/// state of 700, an entitlement of 80, two look-ups a stream.
struct NotificationLoad {
    private(set) var notifications = 0
    private var writer: StoreWriter
    private var originals = SyntheticNotifications()
    private var random = SeededGenerator(seed: 11)
    private var pending: [(customer: Int, period: Int)] = []

    init(_ writer: StoreWriter) {
        self.writer = writer
        for period in 0..<8 {
            self.pending += (0..<720).map { ($0, period) }.shuffled(using: &self.random)
        }
        self.pending.reverse()
    }

    /// Appends a batch over as many shards as it meets.
    /// - Returns: how many bytes the signed originals have.
    mutating func append(_ count: Int) throws -> Int {
        var raw = 0
        var shards: [Int: [(event: NewEvent, customer: Int)]] = [:]
        for _ in 0..<count {
            guard let (customer, period) = self.pending.popLast() else { break }
            let original = self.originals.renewal(customer: customer, period: period)
            raw += original.count
            var event = self.writer.event(self.key(customer), evidence: [original], dedupKey: self.random.bytes(16))
            event.body = self.random.bytes(350)
            event.entitlement = self.random.bytes(80)
            shards[customer * 7919 % self.writer.ownership.count, default: []].append((event, customer))
            self.notifications += 1
        }
        let batches = shards.map { shard, events in
            var batch = self.writer.batch(shard, events.map(\.event))
            for index in batch.streams.indices {
                batch.streams[index].state = self.random.bytes(700)
                batch.streams[index].nextDue = Int64(self.notifications)
            }
            for (event, customer) in events where event.version.rawValue == 1 {
                var identity = SeededGenerator(seed: UInt64(customer))
                batch.lookups.append(Lookup(kind: .appAccountToken, value: identity.uuid(), key: event.key))
                batch.lookups.append(Lookup(kind: .appTransaction, value: "7041\(customer)93482210", key: event.key))
            }
            return batch
        }
        _ = try self.writer.append(batches)
        return raw
    }

    private func key(_ customer: Int) -> [UInt8] {
        [1] + Array("20000\(10_000_000_000 + customer)".utf8) + [0] + Array("Production".utf8) + [0]
            + Array("com.acme.reader".utf8)
    }
}
