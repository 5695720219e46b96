package import EventLog
package import ServiceContract
package import Shards
package import Subscriptions

/// What operators do with webhook endpoints, on any node. Nodes go by it within about a second.
package struct WebhookRegistry: Sendable {
    /// More would not be read any faster by making them.
    package static let endpointLimit = 100
    private static let replayLimit = 4

    let shelf: WebhookStore
    private let store: any EventStore
    private let outbound: OutboundGuard
    private let transport: any WebhookTransport
    private let clock: any WallClock

    /// - Parameter clock: of the machine, which receivers hold deliveries against.
    package init(
        store: any EventStore, outbound: OutboundGuard = OutboundGuard(), transport: any WebhookTransport,
        clock: any WallClock = SystemClock()
    ) {
        self.shelf = WebhookStore(store: store)
        self.store = store
        self.outbound = outbound
        self.transport = transport
        self.clock = clock
    }

    /// Those whose notes can be read.
    package func endpoints() async throws(ServiceError) -> [WebhookEndpoint] {
        try await self.shelf.endpoints().readable
    }

    /// - Throws: `.unknownWebhook`.
    package func endpoint(_ id: String) async throws(ServiceError) -> WebhookEndpoint {
        try await self.shelf.endpoint(id)
    }

    /// How many events of the log an endpoint has not been offered yet, or has not taken; a second old.
    package func backlog(of id: String) async throws(ServiceError) -> Int {
        let windows = try await self.shelf.cursors(of: id)
        let heads = try await ServiceError.translating { try await self.store.heads() }
        return heads.reduce(0) { sum, head in
            sum + Int(max(0, head.sequence.rawValue - (windows[head.shard]?.base ?? 0)))
        }
    }

    // MARK: Changes

    /// Where a new endpoint begins.
    package enum Start: String, CaseIterable, Sendable {
        case now, beginning
    }

    /// - Throws: `.invalidRequest` for a wish that cannot be fulfilled.
    package func create(
        _ wish: WebhookEndpoint.Wish, signedBy algorithm: WebhookKey.Algorithm, from start: Start
    ) async throws(ServiceError) -> WebhookEndpoint {
        try await self.check(wish)
        guard try await self.shelf.endpoints().readable.count < Self.endpointLimit else {
            throw ServiceError(.invalidRequest, "there are \(Self.endpointLimit) endpoints already")
        }
        let number = UInt64.random(in: .min ... .max)
        let endpoint = WebhookEndpoint(
            id: "whe_\(String(number, radix: 36))", wish: wish, keys: [.init(.random(algorithm))],
            createdAt: self.clock.now.milliseconds)
        var cursors: [String: [UInt8]] = [:]
        if start == .now {
            for head in try await ServiceError.translating({ try await self.store.heads() }) {
                cursors[WebhookStore.name(of: .init(head.shard), ofEndpoint: endpoint.id)] =
                    DeliveryWindow(after: head.sequence).bytes
            }
        }
        // In one commit: nobody may deliver without knowing from where.
        try await self.shelf.add(endpoint, cursors)
        return endpoint
    }

    /// Replaces what is wanted, and enables it.
    package func update(_ id: String, _ wish: WebhookEndpoint.Wish) async throws(ServiceError) -> WebhookEndpoint {
        try await self.check(wish)
        return try await self.shelf.change(id) { endpoint in
            endpoint.wish = wish
            endpoint.disabled = nil
        }
    }

    /// Also one that cannot be read.
    package func remove(_ id: String) async throws(ServiceError) {
        _ = try await self.shelf.note(of: id)
        try await self.shelf.remove(id)
    }

    /// A new key signs from now on; the old ones sign beside it until `overlap` is over.
    /// - Parameter overlap: seconds.
    package func rotate(
        _ id: String, to algorithm: WebhookKey.Algorithm, overlap: Int64
    ) async throws(ServiceError) -> WebhookEndpoint {
        let now = self.clock.now.milliseconds
        return try await self.shelf.change(id) { (endpoint) throws(ServiceError) in
            let old = endpoint.keys.filter { $0.until ?? .max > now }.map { key in
                var key = key
                key.until = min(key.until ?? .max, now + overlap * 1_000)
                return key
            }
            guard old.count < 4 else {
                throw ServiceError(.invalidRequest, "four keys sign already; wait for one to run out")
            }
            endpoint.keys = [.init(.random(algorithm))] + old
        }
    }

    /// Delivers once more what was committed in a stretch of time, beside what is new.
    /// - Parameter from: the first moment; `to` is the first that does not belong to it.
    /// - Returns: how many events are looked at.
    package func replay(_ id: String, from: Moment, to: Moment) async throws(ServiceError) -> Int {
        guard from < to else { throw ServiceError(.invalidRequest, "from has to be before to") }
        _ = try await self.shelf.endpoint(id)
        guard Set(try await self.shelf.replays(of: id).map(\.lane.replay)).count < Self.replayLimit else {
            throw ServiceError(.invalidRequest, "\(Self.replayLimit) replays are under way; wait for one to end")
        }
        let replay = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await ServiceError.translating {
            var notes: [String: [UInt8]] = [:]
            var count = 0
            for head in try await self.store.heads() {
                let first = try await self.last(before: from, in: head)
                let last = try await self.last(before: to, in: head)
                count += Int(last.rawValue - first.rawValue)
                let window = DeliveryWindow(after: first, upTo: last)
                guard first < last else { continue }
                notes[WebhookStore.name(of: .init(head.shard, replay: replay), ofEndpoint: id)] = window.bytes
            }
            try await self.shelf.set(notes)
            return count
        }
    }

    /// The last event of a shard that was committed before a moment: its log is in the order of time.
    private func last(before moment: Moment, in head: Position) async throws -> LogSequence {
        var (low, high) = (Int64(0), head.sequence.rawValue)
        while low < high {
            let middle = low + (high - low + 1) / 2
            let event = try await self.store.events(
                in: head.shard, after: LogSequence(rawValue: middle - 1), limit: 1
            ).first
            if let event, event.at < moment.milliseconds { low = middle } else { high = middle - 1 }
        }
        return LogSequence(rawValue: low)
    }

    /// Sends a message of the type `webhook.test` at once, and does not repeat it.
    /// - Returns: why it was not taken; nil when it was.
    package func test(_ id: String) async throws(ServiceError) -> DeliveryFailure? {
        let endpoint = try await self.shelf.endpoint(id)
        guard let target = WebhookTarget(endpoint.wish.url) else {
            throw ServiceError(.corrupt, "the endpoint's url cannot be read")
        }
        let now = self.clock.now
        let body = #"{"type":"webhook.test","timestamp":"\#(now.rfc3339)","data":{}}"#
        let message = WebhookMessage(
            id: "msg_test\(String(UInt64.random(in: .min ... .max), radix: 36))", body: Array(body.utf8))
        do {
            let fields = message.fields(
                signedWith: endpoint.keys(at: now.milliseconds), at: now.milliseconds / 1_000)
            return try await self.transport.post(message.body, fields, to: target, of: id).failure
        } catch {
            return error
        }
    }

    /// - Parameter after: the `place` of the last one of the page before.
    package func deadLetters(
        of id: String, after place: String?, limit: Int
    ) async throws(ServiceError) -> [DeadLetter] {
        _ = try await self.shelf.endpoint(id)
        return try await self.shelf.deadLetters(of: id, after: place, limit: limit)
    }

    private func check(_ wish: WebhookEndpoint.Wish) async throws(ServiceError) {
        guard let target = WebhookTarget(wish.url) else {
            throw ServiceError(.invalidRequest, "url is no https URL without user, password and fragment")
        }
        do {
            _ = try await self.outbound.addresses(of: target)
        } catch {
            throw ServiceError(.invalidRequest, "url: \(error.reason)")
        }
        guard wish.types.allSatisfy(Self.isPattern) else {
            throw ServiceError(.invalidRequest, "types are event types such as subscription.renewed, or subscription.*")
        }
    }

    private static func isPattern(_ text: String) -> Bool {
        let body = text.hasSuffix("*") ? text.dropLast() : text[...]
        return !text.isEmpty
            && body.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}
