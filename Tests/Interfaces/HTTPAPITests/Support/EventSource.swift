import Foundation

/// What a browser's `EventSource` does with the bytes of a stream.
struct EventSource {
    struct Event {
        var name: String
        var data: [String: Any]
        /// That a reader gives when he comes back: of this event or of one before.
        var lastID: String?

        /// Of the subscription that it is about.
        var id: String? {
            let stream = self.data["stream"] ?? (self.data["event"] as? [String: Any])?["stream"]
            return (stream as? [String: Any])?["id"] as? String
        }

        var version: Int? {
            self.data["version"] as? Int ?? (self.data["event"] as? [String: Any])?["version"] as? Int
        }

        /// Of what `previous` or `current` says.
        func state(_ moment: String) -> String? { (self.data[moment] as? [String: Any])?["state"] as? String }
    }

    private let connection: HTTPConnection
    private var text = ""
    private var lastID: String?

    /// - Throws: what the server answered instead of a stream.
    init(_ connection: HTTPConnection, after id: String? = nil) async throws {
        self.connection = connection
        self.lastID = id
        let answer = try await connection.send(
            "GET", "/v1/events",
            headers: ["Accept": "text/event-stream"].merging(id.map { ["Last-Event-ID": $0] } ?? [:]) { $1 })
        guard answer.status == 200 else { throw Refused(answer: answer) }
    }

    struct Refused: Error {
        var answer: HTTPConnection.Answer
    }

    /// Comments are passed over; nil at the end of the stream.
    mutating func next() async throws -> Event? {
        while true {
            while let end = self.text.range(of: "\n\n") {
                let fields = self.text[..<end.lowerBound].split(separator: "\n").map {
                    $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map {
                        $0.trimmingCharacters(in: .whitespaces)
                    }
                }
                self.text.removeSubrange(..<end.upperBound)
                func value(_ name: String) -> String? { fields.first { $0[0] == name }?[1] }
                self.lastID = value("id") ?? self.lastID
                guard let name = value("event"), let data = value("data") else { continue }
                let json = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
                return Event(name: name, data: json ?? [:], lastID: self.lastID)
            }
            guard let chunk = try await self.connection.chunk() else { return nil }
            self.text += chunk
        }
    }

    /// The next piece of the stream as it is, a comment too.
    func piece() async throws -> String? { try await self.connection.chunk() }
}
