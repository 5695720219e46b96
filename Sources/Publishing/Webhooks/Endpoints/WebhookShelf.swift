import EventSourcing
import Foundation
import SubscriptionRuntime

/// Where webhooks keep what has to survive: notes beside the log, which every node of the store sees.
///
///     webhook-endpoint/ID            the endpoint as JSON
///     webhook-disabled/ID            why nothing is sent, as text: written by a node, whatever an operator writes meanwhile
///     webhook-cursor/ID/SHARD        the shard's `DeliveryWindow`; none: from the beginning
///     webhook-replay/ID/SHARD/REPLAY the window of a replay
///     webhook-dead/ID/SHARD/SEQUENCE a `DeadLetter` as JSON
struct WebhookShelf: Sendable {
    let store: any EventStore

    private static let page = 512

    static func name(ofEndpoint id: String) -> String { "webhook-endpoint/\(id)" }

    static func name(ofDisabling id: String) -> String { "webhook-disabled/\(id)" }

    static func name(of lane: DeliveryLane, ofEndpoint id: String) -> String {
        let shard = Self.digits(Int64(lane.shard.rawValue), 4)
        guard let replay = lane.replay else { return Self.prefix(ofCursorsOf: id) + shard }
        return Self.prefix(ofReplaysOf: id) + "\(shard)/\(replay)"
    }

    static func prefix(ofCursorsOf id: String) -> String { "webhook-cursor/\(id)/" }

    static func prefix(ofReplaysOf id: String) -> String { "webhook-replay/\(id)/" }

    static func prefix(ofDeadLettersOf id: String) -> String { "webhook-dead/\(id)/" }

    static func name(ofDeadLetter sequence: EventSourcing.Sequence, in shard: ShardID, ofEndpoint id: String) -> String
    {
        let shard = Self.digits(Int64(shard.rawValue), 4)
        return Self.prefix(ofDeadLettersOf: id) + "\(shard)/\(Self.digits(sequence.rawValue, 19))"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    // MARK: Endpoints

    /// - Returns: and the ids of those whose notes cannot be read, for which the others do not suffer.
    func endpoints() async throws(ServiceError) -> (readable: [WebhookEndpoint], damaged: [String]) {
        let reasons = Dictionary(
            uniqueKeysWithValues: try await self.all(Self.name(ofDisabling: "")).map { ($0.name, $0.value) })
        var (readable, damaged): ([WebhookEndpoint], [String]) = ([], [])
        for note in try await self.all(Self.name(ofEndpoint: "")) {
            let id = String(note.name.dropFirst(Self.name(ofEndpoint: "").count))
            if let endpoint = try? Self.endpoint(note.value, disabled: reasons[Self.name(ofDisabling: id)]) {
                readable.append(endpoint)
            } else {
                damaged.append(id)
            }
        }
        return (readable, damaged)
    }

    func endpoint(_ id: String) async throws(ServiceError) -> WebhookEndpoint {
        let (name, disabling) = (Self.name(ofEndpoint: id), Self.name(ofDisabling: id))
        let found = try await ServiceError.translating { try await self.store.bookmarks([name, disabling]) }
        guard let note = found[name] else { throw ServiceError(.unknownWebhook, "no webhook endpoint has this id") }
        return try Self.endpoint(note, disabled: found[disabling])
    }

    private static func endpoint(_ note: [UInt8], disabled reason: [UInt8]?) throws(ServiceError) -> WebhookEndpoint {
        var endpoint: WebhookEndpoint = try Self.decode(note)
        if let reason { endpoint.disabled = String(decoding: reason, as: UTF8.self) }
        return endpoint
    }

    /// Enables it, unless its `disabled` says otherwise.
    func save(_ endpoint: WebhookEndpoint, with others: [String: [UInt8]] = [:]) async throws(ServiceError) {
        let own = [
            Self.name(ofEndpoint: endpoint.id): try Self.encode(endpoint),
            Self.name(ofDisabling: endpoint.id): Array((endpoint.disabled ?? "").utf8),
        ]
        try await self.set(others.merging(own) { $1 })
    }

    func disable(_ id: String, because reason: String) async throws(ServiceError) {
        try await self.set([Self.name(ofDisabling: id): Array(reason.utf8)])
    }

    /// And all that belongs to it.
    func remove(_ id: String) async throws(ServiceError) {
        try await self.set([Self.name(ofEndpoint: id): [], Self.name(ofDisabling: id): []])
        let prefixes = [
            Self.prefix(ofCursorsOf: id), Self.prefix(ofReplaysOf: id), Self.prefix(ofDeadLettersOf: id),
        ]
        for prefix in prefixes {
            let names = try await self.all(prefix).map(\.name)
            try await self.set(Dictionary(uniqueKeysWithValues: names.map { ($0, []) }))
        }
    }

    // MARK: Windows

    /// Of the log as it grows.
    func cursors(of id: String) async throws(ServiceError) -> [ShardID: DeliveryWindow] {
        let windows = try await self.windows(Self.prefix(ofCursorsOf: id))
        return Dictionary(uniqueKeysWithValues: windows.map { ($0.lane.shard, $0.window) })
    }

    func replays(of id: String) async throws(ServiceError) -> [(lane: DeliveryLane, window: DeliveryWindow)] {
        try await self.windows(Self.prefix(ofReplaysOf: id))
    }

    private func windows(_ prefix: String) async throws(ServiceError) -> [(lane: DeliveryLane, window: DeliveryWindow)]
    {
        var windows: [(lane: DeliveryLane, window: DeliveryWindow)] = []
        for note in try await self.all(prefix) {
            let parts = note.name.dropFirst(prefix.count).split(separator: "/")
            guard let shard = parts.first.flatMap({ UInt16($0) }), let window = DeliveryWindow(note.value) else {
                throw ServiceError(.corrupt, "\(note.name) is no window of deliveries")
            }
            windows.append(
                (DeliveryLane(ShardID(rawValue: shard), replay: parts.dropFirst().first.map(String.init)), window))
        }
        return windows
    }

    // MARK: Dead letters

    func deadLetters(of id: String, after name: String?, limit: Int) async throws(ServiceError) -> [DeadLetter] {
        let prefix = Self.prefix(ofDeadLettersOf: id)
        let notes = try await ServiceError.translating {
            try await self.store.bookmarks(startingWith: prefix, after: name.map { prefix + $0 }, limit: limit)
        }
        return try notes.map { (note) throws(ServiceError) in
            var letter: DeadLetter = try Self.decode(note.value)
            letter.place = String(note.name.dropFirst(prefix.count))
            return letter
        }
    }

    // MARK: Notes

    func set(_ values: [String: [UInt8]]) async throws(ServiceError) {
        guard !values.isEmpty else { return }
        try await ServiceError.translating { try await self.store.setBookmarks(values) }
    }

    private func all(_ prefix: String) async throws(ServiceError) -> [Bookmark] {
        var notes: [Bookmark] = []
        while true {
            let page = try await ServiceError.translating { [notes] in
                try await self.store.bookmarks(startingWith: prefix, after: notes.last?.name, limit: Self.page)
            }
            notes += page
            guard page.count == Self.page else { return notes }
        }
    }

    static func encode(_ value: some Encodable) throws(ServiceError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = Array(try encoder.encode(value))
            guard bytes.count <= Bookmarks.longestValue else {
                throw ServiceError(.invalidRequest, "url, description and filters are too long together")
            }
            return bytes
        } catch {
            throw ServiceError(error)
        }
    }

    private static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(ServiceError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw ServiceError(.corrupt, "a note about webhooks cannot be read")
        }
    }
}
