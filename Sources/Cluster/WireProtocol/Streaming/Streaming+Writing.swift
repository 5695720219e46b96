import EventLog
import Subscriptions

extension MessageWriter {
    mutating func write(_ delta: StreamDelta) {
        self.write(delta.origin, 1)
        self.write(delta.epoch.rawValue, 2)
        if let previous = delta.previous { self.write(previous, 3) }
        self.write(delta.position, 4)
        self.write(delta.image, 5)
    }

    mutating func write(_ beat: StreamBeat) {
        self.write(beat.origin, 1)
        self.write(beat.node, 2)
        self.write(Int64(beat.servicePort), 3)
        self.write(Int64(beat.shardCount), 4)
        for head in beat.heads { self.write(head, 5) }
    }

    mutating func write(_ request: StreamRequest) {
        self.write(Int64(bitPattern: request.id), 1)
        switch request.content {
        case .probe: self.message(2) { _ in }
        case .snapshot(let shard, let after, let limit):
            self.message(3) { message in
                message.write(Int64(shard.rawValue), 1)
                message.write(unlessEmpty: after, 2)
                message.write(Int64(limit), 3)
            }
        case .changes(let shard, let after, let limit):
            self.message(4) { message in
                message.write(Int64(shard.rawValue), 1)
                message.write(after, 2)
                message.write(Int64(limit), 3)
            }
        case .rules: self.message(5) { _ in }
        }
        self.write(request.withCustomers, 6)
    }

    mutating func write(_ answer: StreamAnswer) {
        self.write(Int64(bitPattern: answer.id), 1)
        switch answer.content {
        case .heads(let beat): self.message(2) { $0.write(beat) }
        case .snapshot(let page):
            self.message(3, reserving: page.images.reduce(64) { $0 + $1.size }) { message in
                message.write(page.origin, 1)
                message.write(page.head, 2)
                for image in page.images { message.write(image, 3) }
                message.write(unlessEmpty: page.next, 4)
            }
        case .changes(let page):
            self.message(4, reserving: page.deltas.reduce(64) { $0 + $1.image.size + 64 }) { message in
                message.write(page.origin, 1)
                message.write(page.head, 2)
                for delta in page.deltas { message.message(3) { $0.write(delta) } }
            }
        case .failure(let failure):
            self.message(5) { message in
                message.write(Int64(failure.code.rawValue), 1)
                message.write(Int64(failure.retryAfter), 2)
            }
        case .rules(let rules): self.message(6) { $0.write(rules) }
        }
    }

    private mutating func write(_ origin: StreamOrigin, _ field: Int) {
        self.message(field) { message in
            message.write(Int64(bitPattern: origin.storeID), 1)
            message.write(origin.restoreGeneration, 2)
        }
    }

    private mutating func write(_ position: StreamPosition, _ field: Int) {
        self.message(field) { message in
            message.write(position.sequence.rawValue, 1)
            message.write(Int64(position.tag), 2)
        }
    }

    private mutating func write(_ head: ServedHead, _ field: Int) {
        self.message(field) { message in
            message.write(Int64(head.shard.rawValue), 1)
            message.write(head.epoch.rawValue, 2)
            message.write(head.position, 3)
            message.write(Int64(head.rules), 4)
            message.write(Int64(head.customerRules), 5)
        }
    }

    private mutating func write(_ image: SubscriptionImage, _ field: Int) {
        self.message(field) { message in
            message.write(unlessEmpty: image.key, 1)
            message.write(image.version.rawValue, 2)
            message.write(unlessEmpty: image.entitlement, 3)
            if let lookups = image.lookups {
                message.message(5) { message in
                    for lookup in lookups { message.write([lookup.kind.rawValue] + lookup.hash.bytes, 1) }
                }
            }
            if let customer = image.customer { message.write(customer, 6) }
        }
    }

    private mutating func write(unlessEmpty content: [UInt8], _ field: Int) {
        if !content.isEmpty { self.write(content, field) }
    }
}

extension SubscriptionImage {
    /// As a part of a message, about.
    fileprivate var size: Int {
        30 + self.key.count + self.entitlement.count + 19 * (self.lookups?.count ?? 0) + (self.customer?.count ?? 0)
    }
}
