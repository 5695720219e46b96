import EntitlementStream
import EventLog
import PerennialTestSupport
import Testing
import WireProtocol
import ZeroMQ

/// The stream over real sockets.
@Suite(.timeLimit(.minutes(10))) struct PublisherTests {
    private let node: PublishingNode

    init() throws { self.node = try PublishingNode() }

    /// Deltas of one shard: each where the one before has left the log, from `start` to `end`.
    private static func areGapless(
        _ deltas: [StreamDelta], from start: StreamPosition = .start, to end: StreamPosition
    ) -> Bool {
        var position = start
        for delta in deltas {
            guard delta.previous == position, delta.position.sequence.rawValue == position.sequence.rawValue + 1 else {
                return false
            }
            position = delta.position
        }
        return position == end
    }

    @Test func aListedSubscriberGetsEveryChangeInOrder() async throws {
        try await self.node.run { node in
            // given: somebody who follows, as the first beat shows
            let subscriber = self.node.subscribe(to: node)
            await eventually { !subscriber.beats.isEmpty }
            // when
            for period in 1...5 { try await node.service.renew(0..<60, period: period) }
            // then: each event of each shard once, without a hole
            let heads = try await self.node.heads()
            let count = heads.values.reduce(0) { $0 + Int($1.sequence.rawValue) }
            #expect(count == 300)
            await eventually { subscriber.deltaCount >= count }
            let heard = subscriber.deltas
            #expect(Set(heard.keys) == Set(heads.keys))
            for (shard, deltas) in heard {
                let head = try #require(heads[shard])
                #expect(Self.areGapless(deltas, to: head))
                // and what it leaves is what the store holds
                let rows = try await self.node.store.streams(in: shard, after: nil, limit: 1_000)
                var images: [[UInt8]: SubscriptionImage] = [:]
                for delta in deltas {
                    #expect(delta.origin == StreamOrigin(self.node.store.identity))
                    #expect(delta.image.entitlement.count <= 120)
                    #expect(delta.image.version.rawValue == (images[delta.image.key]?.version.rawValue ?? 0) + 1)
                    images[delta.image.key] = delta.paged.image
                }
                #expect(Set(images.values) == Set(rows.map(SubscriptionImage.init)))
            }
        }
    }

    @Test func whoIsNotListedGetsNothing() async throws {
        try await self.node.run { node in
            // given: a stranger who was there first
            let strange = try CurveKeyPair()
            let stranger = self.node.subscribe(to: node, keys: strange)
            let subscriber = self.node.subscribe(to: node)
            let isOver = Flag()
            async let answer = self.node.questioner(of: node, keys: strange).ask(.probe) { isOver.isRaised }
            defer { isOver.raise() }
            await eventually { !subscriber.beats.isEmpty }
            // when: others hear and are answered
            try await node.service.renew(0..<20, period: 1)
            await eventually { subscriber.deltaCount >= 20 && subscriber.beats.count >= 10 }
            for _ in 0..<10 {
                let answer = try await self.node.questioner(of: node).ask(.probe)
                guard case .heads(let beat) = answer?.content else {
                    Issue.record("no heads")
                    return
                }
                #expect(beat.heads.count == 16)
            }
            // then
            #expect(stranger.beats.isEmpty && stranger.deltas.isEmpty)
            isOver.raise()
            #expect(try await answer == nil)
        }
    }

    @Test func aLostTailShowsInTheNextBeatAndCanBeAskedFor() async throws {
        try await self.node.run { node in
            // given: a subscriber who has heard all
            let subscriber = self.node.subscribe(to: node)
            await eventually { !subscriber.beats.isEmpty }
            try await node.service.renew(0..<30, period: 1)
            await eventually { subscriber.deltaCount >= 30 }
            // when: what comes then is lost
            node.tap.close()
            for period in 2...4 { try await node.service.renew(0..<30, period: period) }
            let heads = try await self.node.heads()
            // then: a beat says so of each shard, once those that were on their way are there
            await eventually {
                guard let beat = subscriber.beats.last else { return false }
                return heads.allSatisfy { shard, head in
                    beat.heads.first { $0.shard == shard }?.position == head
                }
            }
            let questioner = self.node.questioner(of: node)
            #expect(subscriber.deltaCount == 30)
            for (shard, head) in heads {
                // and exactly the rest comes, page by page
                let heard = try #require(subscriber.deltas[shard])
                let last = try #require(heard.last)
                #expect(last.position.sequence < head.sequence)
                var missing: [StreamDelta] = []
                while true {
                    let position = missing.last?.position ?? last.position
                    let answer = try await questioner.ask(.changes(shard, after: position, limit: 2))
                    guard case .changes(let page) = answer?.content else {
                        Issue.record("no changes: \(String(describing: answer))")
                        return
                    }
                    #expect(page.head.position == head)
                    #expect(page.deltas.count <= 2)
                    missing += page.deltas
                    if missing.last?.position == head || page.deltas.isEmpty { break }
                }
                #expect(Self.areGapless(missing, from: last.position, to: head))
                // as if nothing had been lost: the same as whoever asks from the beginning
                let answer = try await questioner.ask(.changes(shard, after: .start, limit: 0))
                guard case .changes(let page) = answer?.content else {
                    Issue.record("no changes: \(String(describing: answer))")
                    return
                }
                #expect(page.deltas == (heard + missing).map(\.paged))
            }
        }
    }

    /// Messages are dropped once so many wait; the others do not notice.
    @Test func aStuckSubscriberHoldsLittleAndSlowsNobody() async throws {
        // given: one who reads nothing any more, and one who reads
        var node = self.node
        node.stream.messagesPerSubscriber = 200
        try await node.run { [node] running in
            let stuck = node.subscribe(to: running, receiveLimit: 1)
            let subscriber = node.subscribe(to: running)
            await eventually { !stuck.beats.isEmpty && !subscriber.beats.isEmpty }
            stuck.setStuck(true)
            // when: 40 MB are published
            let shard = ShardID(rawValue: 3)
            let image = SubscriptionImage(
                key: [1], version: .zero, entitlement: [UInt8](repeating: 7, count: 4_000))
            var position = StreamPosition.start
            for step in 1...100 {
                let deltas = (0..<100).map { _ in
                    let next = StreamPosition(sequence: LogSequence(rawValue: position.sequence.rawValue + 1), tag: 1)
                    defer { position = next }
                    return StreamDelta(
                        origin: StreamOrigin(storeID: 1, restoreGeneration: 0), epoch: Epoch(rawValue: 1),
                        previous: position, position: next, image: image)
                }
                running.publisher.hear(deltas, of: shard)
                await eventually { subscriber.deltaCount >= 100 * step }
            }
            // then: who reads has all, and for who does not only so much was kept as fits into the sockets of the system
            let heard = try #require(subscriber.deltas[shard])
            #expect(Self.areGapless(heard, to: position))
            stuck.setStuck(false)
            let beatCount = stuck.beats.count
            await eventually { stuck.beats.count >= beatCount + 5 }
            #expect(stuck.deltaCount < 6_000)
        }
    }
}

extension SubscriptionImage {
    fileprivate init(_ row: StreamRow) {
        self.init(key: row.key, version: row.version, entitlement: row.entitlement)
    }
}

extension StreamDelta {
    /// As pages have it, which do not say what leads to a stream, nor what answers by customer need unless that is asked for.
    fileprivate var paged: StreamDelta {
        var delta = self
        delta.image.lookups = nil
        delta.image.customer = nil
        return delta
    }
}
