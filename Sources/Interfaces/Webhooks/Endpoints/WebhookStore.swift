import EventLog
import Foundation
import ServiceContract
import SubscriptionService

/// Where webhooks keep what has to survive: notes beside the log, which every node of the store sees.
///
///     webhook-endpoint/ID            the endpoint as JSON
///     webhook-cursor/ID/SHARD        the shard's `DeliveryWindow`; none: from the beginning
///     webhook-replay/ID/SHARD/REPLAY the window of a replay
///     webhook-dead/ID/SHARD/SEQUENCE a `DeadLetter` as JSON
struct WebhookStore: Sendable {
    let store: any EventStore

    /// How often a change is tried that others forestall.
    private static let changeAttempts = 8

    static func name(ofEndpoint id: String) -> String { "webhook-endpoint/\(id)" }

    static func name(of lane: DeliveryLane, ofEndpoint id: String) -> String {
        let shard = Self.digits(Int64(lane.shard.rawValue), 4)
        guard let replay = lane.replay else { return Self.prefix(ofCursorsOf: id) + shard }
        return Self.prefix(ofReplaysOf: id) + "\(shard)/\(replay)"
    }

    static func prefix(ofCursorsOf id: String) -> String { "webhook-cursor/\(id)/" }

    static func prefix(ofReplaysOf id: String) -> String { "webhook-replay/\(id)/" }

    static func prefix(ofDeadLettersOf id: String) -> String { "webhook-dead/\(id)/" }

    static func name(ofDeadLetter sequence: LogSequence, in shard: ShardID, ofEndpoint id: String) -> String {
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
        var (readable, damaged): ([WebhookEndpoint], [String]) = ([], [])
        for note in try await self.all(Self.name(ofEndpoint: "")) {
            if let endpoint: WebhookEndpoint = try? Self.decode(note.value) {
                readable.append(endpoint)
            } else {
                damaged.append(String(note.name.dropFirst(Self.name(ofEndpoint: "").count)))
            }
        }
        return (readable, damaged)
    }

    func endpoint(_ id: String) async throws(ServiceError) -> WebhookEndpoint {
        try Self.decode(try await self.note(of: id))
    }

    /// As it stands there, whether it can be read or not.
    /// - Throws: `.unknownWebhook`.
    func note(of id: String) async throws(ServiceError) -> [UInt8] {
        let name = Self.name(ofEndpoint: id)
        let found = try await ServiceError.translating { try await self.store.bookmarks([name])[name] }
        guard let found else { throw ServiceError(.unknownWebhook, "no webhook endpoint has this id") }
        return found
    }

    /// With the windows that it begins with.
    func add(_ endpoint: WebhookEndpoint, _ windows: [String: [UInt8]]) async throws(ServiceError) {
        var notes = windows
        notes[Self.name(ofEndpoint: endpoint.id)] = try Self.encode(endpoint)
        try await self.set(notes)
    }

    /// Changes what stands there, and nothing of what others change at the same time: `body` is asked again then.
    @discardableResult
    func change(
        _ id: String, _ body: (inout WebhookEndpoint) throws(ServiceError) -> Void
    ) async throws(ServiceError) -> WebhookEndpoint {
        for _ in 0..<Self.changeAttempts {
            let old = try await self.note(of: id)
            var endpoint: WebhookEndpoint = try Self.decode(old)
            try body(&endpoint)
            let new = try Self.encode(endpoint)
            let isWritten = try await ServiceError.translating {
                try await self.store.replaceBookmark(Self.name(ofEndpoint: id), old, with: new)
            }
            if isWritten { return endpoint }
        }
        throw ServiceError(.overloaded, "others change this endpoint all the time")
    }

    /// - Returns: false when its messages go elsewhere by now, so that this is not about it.
    func disable(_ id: String, at url: String, because reason: String) async throws(ServiceError) -> Bool {
        try await self.change(id) { endpoint in
            if endpoint.wish.url == url { endpoint.disabled = reason }
        }.wish.url == url
    }

    /// And all that belongs to it.
    func remove(_ id: String) async throws(ServiceError) {
        try await self.set([Self.name(ofEndpoint: id): []])
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
        try await ServiceError.translating { try await self.store.allBookmarks(startingWith: prefix) }
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
