import ByteCoding
import EventLog
import Foundation
import PerennialTestSupport
import Subscriptions

/// Where texts stand in a store.
enum StoreTraces {
    /// How a text may stand in a file: a UUID as its 16 bytes, and a number as a varint.
    private static func forms(of text: String) -> [[UInt8]] {
        var forms = [Array(text.utf8), Array(text.uppercased().utf8)]
        if let uuid = AccountToken(text)?.rawValue {
            let digits = Array(uuid.filter { $0 != "-" })
            forms.append(stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
        }
        if var number = UInt64(text) {
            var varint: [UInt8] = []
            while number > 127 {
                varint.append(UInt8(number & 127) | 128)
                number >>= 7
            }
            forms.append(varint + [UInt8(number)])
        }
        return forms
    }

    /// Every text of one of these in what the store holds: keys, bodies, states, notes, originals, the inbox and the quarantine.
    static func find(_ texts: [String], in store: any EventStore) async throws -> [String] {
        var traces: [String] = []
        func look(_ bytes: [UInt8], _ place: String) {
            for text in texts where Self.forms(of: text).contains(where: { bytes.firstRange(of: $0) != nil }) {
                traces.append("\(text) in \(place)")
            }
        }
        for shard in store.identity.shards {
            for event in try await store.events(in: shard, after: .zero, limit: 10_000) {
                look(event.body, "a body of \(event.kind)")
                look(event.dedupKey, "a dedup key of \(event.kind)")
                if case .kept(let parts)? = try await store.evidence(of: event.sequence, in: shard) {
                    for part in parts { look(Self.said(by: part.jws[...]), "an original of \(event.kind)") }
                }
            }
            for row in try await store.streams(in: shard, after: nil, limit: 10_000) {
                look(row.key, "a key")
                look(row.state, "a state of \(StreamKey(bytes: row.key)!.kind)")
            }
            for row in try await store.inbox(of: [shard], after: nil, limit: 1_000) { look(row.raw, "the inbox") }
        }
        for payload in try await store.quarantined(after: 0, limit: 1_000) {
            look(Self.said(by: payload.raw[...]), "the quarantine")
        }
        for note in try await store.allBookmarks(startingWith: "") where note.name != "identifiers.key" {
            look(Array(note.name.utf8), "a note")
            look(note.value, "the note \(note.name)")
        }
        return traces
    }

    /// The same in files as they lie there.
    static func find(_ texts: [String], inFolder folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { file in
            // One that has gone since has nothing.
            let bytes = [UInt8](FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data())
            return texts.filter { text in Self.forms(of: text).contains { bytes.firstRange(of: $0) != nil } }
                .map { "\($0) in \(file)" }
        }
    }

    /// What a signed payload says, with what is signed in it.
    private static func said(by jws: ArraySlice<UInt8>) -> [UInt8] {
        guard let decoded = DecodedJWS(jws) else { return [] }
        return decoded.payload.split(separator: UInt8(ascii: "\"")).reduce(decoded.payload) { $0 + Self.said(by: $1) }
    }
}
