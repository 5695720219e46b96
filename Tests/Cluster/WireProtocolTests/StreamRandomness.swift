import EventLog
import Foundation
import Subscriptions
import SwiftProtobuf
import WireProtocol

/// Messages of the published stream of all shapes, the same for the same seed.
struct StreamRandomness {
    var random: FrameRandomness

    init(seed: UInt64) { self.random = FrameRandomness(seed: seed) }

    private mutating func count(_ limit: Int) -> Int { Int(self.random.next() % UInt64(limit + 1)) }

    private mutating func bytes() -> [UInt8] { Array(self.random.bytes().prefix(300)) }

    private mutating func small() -> UInt16 { UInt16(truncatingIfNeeded: self.random.number()) }

    private mutating func origin() -> StreamOrigin {
        StreamOrigin(storeID: self.random.number(), restoreGeneration: Int64(bitPattern: self.random.number()))
    }

    private mutating func position() -> StreamPosition {
        StreamPosition(
            sequence: LogSequence(rawValue: Int64(bitPattern: self.random.number())),
            tag: UInt32(truncatingIfNeeded: self.random.number()))
    }

    private mutating func image() -> SubscriptionImage {
        let key = self.bytes()
        let lookups = (0..<self.count(3)).map { _ in
            Lookup(
                kind: IdentifierHash.Kind.allCases[self.count(2)],
                hash: IdentifierHash(high: self.random.number(), low: self.random.number()), key: key)
        }
        return SubscriptionImage(
            key: key, version: StreamVersion(rawValue: Int64(bitPattern: self.random.number())),
            entitlement: self.bytes(), lookups: self.count(2) == 0 ? nil : lookups,
            customer: self.count(2) == 0 ? nil : self.customerImage().encoded())
    }

    private mutating func head() -> ServedHead {
        ServedHead(
            shard: ShardID(rawValue: self.small()), epoch: Epoch(rawValue: Int64(bitPattern: self.random.number())),
            position: self.position(), rules: UInt32(truncatingIfNeeded: self.random.number()),
            customerRules: self.count(1) == 0 ? 0 : UInt32(truncatingIfNeeded: self.random.number()))
    }

    mutating func delta() -> StreamDelta {
        StreamDelta(
            origin: self.origin(), epoch: Epoch(rawValue: Int64(bitPattern: self.random.number())),
            previous: self.count(3) == 0 ? nil : self.position(), position: self.position(), image: self.image())
    }

    mutating func beat() -> StreamBeat {
        StreamBeat(
            origin: self.origin(), node: ["", "node-1", "Zürich"][self.count(2)], servicePort: self.small(),
            shardCount: self.count(4_096), heads: (0..<self.count(20)).map { _ in self.head() })
    }

    mutating func request() -> StreamRequest {
        let content: StreamRequest.Content
        let limit = UInt32(truncatingIfNeeded: self.random.number())
        switch self.count(3) {
        case 0: content = .probe
        case 3: content = .rules
        case 1: content = .snapshot(ShardID(rawValue: self.small()), after: self.bytes(), limit: limit)
        default: content = .changes(ShardID(rawValue: self.small()), after: self.position(), limit: limit)
        }
        return StreamRequest(id: self.random.number(), content, withCustomers: self.count(1) == 0)
    }

    mutating func answer() -> StreamAnswer {
        let content: StreamAnswer.Content
        switch self.count(4) {
        case 0: content = .heads(self.beat())
        case 4: content = .rules(self.rules())
        case 1:
            content = .snapshot(
                SnapshotPage(
                    origin: self.origin(), head: self.head(), images: (0..<self.count(9)).map { _ in self.image() },
                    next: self.bytes()))
        case 2:
            content = .changes(
                ChangesPage(
                    origin: self.origin(), head: self.head(), deltas: (0..<self.count(9)).map { _ in self.delta() }))
        default:
            let codes = StreamFailure.Code.allCases
            content = .failure(
                StreamFailure(
                    codes[self.count(codes.count - 1)], retryAfter: UInt32(truncatingIfNeeded: self.random.number())))
        }
        return StreamAnswer(id: self.random.number(), content)
    }
}

// As the generated code has them.

extension StreamOrigin {
    var proto: ProtoStreamOrigin {
        .with {
            $0.store = self.storeID
            $0.restoreGeneration = self.restoreGeneration
        }
    }
}

extension StreamPosition {
    var proto: ProtoStreamPosition {
        .with {
            $0.sequence = self.sequence.rawValue
            $0.tag = self.tag
        }
    }
}

extension SubscriptionImage {
    var proto: ProtoSubscriptionImage {
        .with {
            $0.key = Data(self.key)
            $0.version = self.version.rawValue
            $0.entitlement = Data(self.entitlement)
            if let customer = self.customer.flatMap({ try? ProtoCustomerImage(serializedBytes: $0) }) {
                $0.customer = customer
            }
            guard let lookups = self.lookups else { return }
            $0.leads = .with { leads in
                leads.identifiers = lookups.map { Data([$0.kind.rawValue] + $0.hash.bytes) }
            }
        }
    }
}

extension ServedHead {
    var proto: ProtoServedHead {
        .with {
            $0.shard = UInt32(self.shard.rawValue)
            $0.epoch = self.epoch.rawValue
            $0.head = self.position.proto
            $0.rules = self.rules
            $0.customerRules = self.customerRules
        }
    }
}

extension StreamDelta {
    var proto: ProtoDelta {
        .with {
            $0.origin = self.origin.proto
            $0.epoch = self.epoch.rawValue
            if let previous = self.previous { $0.previous = previous.proto }
            $0.position = self.position.proto
            $0.image = self.image.proto
        }
    }
}

extension StreamBeat {
    var proto: ProtoBeat {
        .with {
            $0.origin = self.origin.proto
            $0.node = self.node
            $0.servicePort = UInt32(self.servicePort)
            $0.shardCount = UInt32(self.shardCount)
            $0.heads = self.heads.map(\.proto)
        }
    }
}

extension StreamRequest {
    var proto: ProtoStreamRequest {
        .with { proto in
            proto.id = self.id
            proto.customers = self.withCustomers
            switch self.content {
            case .probe: proto.probe = ProtoProbe()
            case .rules: proto.rules = ProtoRulesRequest()
            case .snapshot(let shard, let after, let limit):
                proto.snapshot.shard = UInt32(shard.rawValue)
                proto.snapshot.after = Data(after)
                proto.snapshot.limit = limit
            case .changes(let shard, let after, let limit):
                proto.changes.shard = UInt32(shard.rawValue)
                proto.changes.after = after.proto
                proto.changes.limit = limit
            }
        }
    }
}

extension StreamAnswer {
    var proto: ProtoStreamAnswer {
        .with { proto in
            proto.id = self.id
            switch self.content {
            case .heads(let beat): proto.heads = beat.proto
            case .snapshot(let page):
                proto.snapshot.origin = page.origin.proto
                proto.snapshot.head = page.head.proto
                proto.snapshot.images = page.images.map(\.proto)
                proto.snapshot.next = Data(page.next)
            case .changes(let page):
                proto.changes.origin = page.origin.proto
                proto.changes.head = page.head.proto
                proto.changes.deltas = page.deltas.map(\.proto)
            case .failure(let failure):
                proto.failure.code = ProtoStreamFailureCode(rawValue: failure.code.rawValue)!
                proto.failure.retryAfter = failure.retryAfter
            case .rules(let rules): proto.rules = rules.proto
            }
        }
    }
}
