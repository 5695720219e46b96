import Hummingbird
import NIOCore
import Queries
import ServiceContract
import ServiceLifecycle
import StrictJSON

/// Writes a feed as server-sent events (the HTML standard, §9.2): `snapshot`, `delta`, `caughtup`, and `error` before an
/// end that asking again does not mend. An `id` stands at the end of a round, and is where a later request goes on.
struct ServerSentEvents {
    static let contentType = "text/event-stream"

    /// Rows or changes of a round.
    private static let roundLimit = 256
    /// Between two looks at a log that had nothing new.
    private static let pause = Duration.milliseconds(100)
    /// After trouble of the store.
    private static let patience = Duration.seconds(1)

    private var feed: ChangeFeed
    private let heartbeat: Duration
    private let connection: any Channel
    private var lastWritten = ContinuousClock.now

    init(feed: ChangeFeed, heartbeat: Duration, connection: any Channel) {
        self.feed = feed
        self.heartbeat = heartbeat
        self.connection = connection
    }

    /// Until the client is gone, the node stops, or there is no going on. `ConnectionGuard` closes the connection of a client
    /// that has gone, so the next look at the log finds that out, also where there is nothing to write.
    mutating func write(to writer: inout any ResponseBodyWriter) async throws {
        // The answer's head goes out at once.
        try await self.write(Self.comment, to: &writer)
        while !Task.isShuttingDownGracefully, self.connection.isActive {
            switch await self.next() {
            case .success(let round?): try await self.write(self.text(of: round), to: &writer)
            case .success(nil): try await self.rest(for: Self.pause, &writer)
            case .failure(let error) where error.retryable: try await self.rest(for: Self.patience, &writer)
            case .failure(let error): return try await self.write(Self.text(of: error), to: &writer)
            }
        }
    }

    private mutating func next() async -> Result<ChangeFeed.Round?, ServiceError> {
        do throws(ServiceError) {
            return .success(try await self.feed.next(limit: Self.roundLimit))
        } catch {
            return .failure(error)
        }
    }

    private mutating func rest(for pause: Duration, _ writer: inout any ResponseBodyWriter) async throws {
        if ContinuousClock.now - self.lastWritten >= self.heartbeat { try await self.write(Self.comment, to: &writer) }
        try await Task.sleep(for: pause)
    }

    private mutating func write(_ text: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ByteBuffer(bytes: text))
        self.lastWritten = .now
    }

    // MARK: Text

    private static let comment = Array(":\n\n".utf8)

    private func text(of round: ChangeFeed.Round) -> [UInt8] {
        var text: [UInt8] = []
        switch round {
        case .caughtUp:
            Self.append("caughtup", to: &text) { json in json.object { _ in } }
        case .snapshot(let rows):
            for row in rows { Self.append("snapshot", to: &text) { row.write(to: &$0) } }
        case .changes(let changes):
            for change in changes { text.append(contentsOf: change.text(Self.text)) }
        }
        // The field belongs to the event that ends behind it.
        if let cursor = self.feed.cursor {
            text.removeLast()
            text.append(contentsOf: "id: \(cursor)\n\n".utf8)
        }
        return text
    }

    private static func text(of change: ChangeView) -> [UInt8] {
        var text: [UInt8] = []
        Self.append("delta", to: &text) { change.write(to: &$0) }
        return text
    }

    private static func text(of error: ServiceError) -> [UInt8] {
        var text: [UInt8] = []
        Self.append("error", to: &text) { json in
            json.object { json in
                json.member("code", error.code.rawValue)
                json.member("detail", error.message)
            }
        }
        return text
    }

    /// JSON has no line breaks of its own, so one `data` field holds it.
    private static func append(
        _ event: StaticString, to text: inout [UInt8], _ data: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter()
        data(&json)
        text.append(contentsOf: "event: \(event)\ndata: ".utf8)
        text.append(contentsOf: json.bytes)
        text.append(contentsOf: "\n\n".utf8)
    }
}
