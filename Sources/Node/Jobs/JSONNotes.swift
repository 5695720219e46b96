import EventLog
import Foundation
import ServiceContract

/// Notes beside the log that hold JSON.
struct JSONNotes: Sendable {
    let store: any EventStore

    func remove(_ names: [String]) async throws {
        guard !names.isEmpty else { return }
        try await self.store.setBookmarks(Dictionary(uniqueKeysWithValues: names.map { ($0, []) }))
    }

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(_ bytes: [UInt8], _ name: String) throws(ServiceError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw ServiceError(.corrupt, "the note \(name) cannot be read", cause: error)
        }
    }
}
