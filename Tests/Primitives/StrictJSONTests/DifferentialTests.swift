import Foundation
import StrictJSON
import Testing

/// The scanner reads what Foundation reads, on documents made at random from a seed.
@Suite struct DifferentialTests {
    @Test func agreesWithFoundation() throws {
        var generator = DocumentGenerator(seed: 0x5EED)
        for _ in 0..<3_000 {
            let document = generator.document()
            let expected = try JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)
            var json = JSONScanner(document)
            let actual = try Self.read(&json)
            try json.end()
            #expect(Self.canonical(expected) == Self.canonical(actual), "\(String(decoding: document, as: UTF8.self))")
        }
    }

    /// Every refusal of Foundation's is one of ours, on documents with one byte changed.
    @Test func acceptsNothingThatFoundationRefuses() throws {
        var generator = DocumentGenerator(seed: 0xBAD)
        var refused = 0
        for _ in 0..<20_000 {
            var document = generator.document()
            let position = Int.random(in: 0..<document.count, using: &generator.random)
            let byte = UInt8.random(in: 0...255, using: &generator.random)
            // An exponent of any size is JSON, but more than Foundation can hold.
            guard byte | 0x20 != UInt8(ascii: "e") else { continue }
            document[position] = byte
            guard (try? JSONScanner.validate(document)) != nil else {
                refused += 1
                continue
            }
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)
            }
        }
        #expect(refused > 1_000)
    }

    /// One spelling for equal values, whatever types hold them.
    private static func canonical(_ value: Any) -> String {
        switch value {
        case let object as [String: Any]:
            "{" + object.map { "\($0.debugDescription):\(Self.canonical($1))" }.sorted().joined(separator: ",") + "}"
        case let array as [Any]: "[" + array.map(Self.canonical).joined(separator: ",") + "]"
        case let text as String: text.debugDescription
        case let number as NSNumber: number.stringValue
        default: "\(value)"
        }
    }

    /// As JSONSerialization would: members that are null are left out on both sides by never making any.
    private static func read(_ json: inout JSONScanner) throws -> Any {
        switch try json.kind() {
        case .object:
            var object: [String: Any] = [:]
            try json.beginObject()
            while let key = try json.nextKey() { object[json.text(of: key)] = try Self.read(&json) }
            return object
        case .array:
            var array: [Any] = []
            try json.beginArray()
            while try json.nextElement() { array.append(try Self.read(&json)) }
            return array
        case .text: return try json.text()
        case .number: return try json.integer()
        case .bool: return try json.bool()
        case .null: throw JSONError(code: .wrongType, offset: json.offset)
        }
    }
}

struct DocumentGenerator {
    var random: SplitMix

    init(seed: UInt64) { self.random = SplitMix(state: seed) }

    mutating func document() -> [UInt8] { Array(self.value(depth: 0).utf8) }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 5), using: &self.random) {
        case 0: return "\(Int64.random(in: .min ... .max, using: &self.random))"
        case 1: return "\(Int64.random(in: -1_000...1_000, using: &self.random))"
        case 2: return Bool.random(using: &self.random) ? "true" : "false"
        case 3, 4: return "\"\(self.text())\""
        case 5:
            let count = Int.random(in: 0..<6, using: &self.random)
            return "["
                + (0..<count).map { _ in self.space() + self.value(depth: depth + 1) + self.space() }.joined(
                    separator: ",") + "]"
        default:
            let count = Int.random(in: 0..<8, using: &self.random)
            let members = (0..<count).map {
                "\(self.space())\"\(self.text())\($0)\"\(self.space()):\(self.value(depth: depth + 1))"
            }
            return "{" + members.joined(separator: ",") + self.space() + "}"
        }
    }

    private mutating func space() -> String { ["", "", " ", "\n\t"].randomElement(using: &self.random)! }

    private mutating func text() -> String {
        let pieces = [
            "a", "key", "0123456789abcdef", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00",
            " ",
        ]
        return (0..<Int.random(in: 0..<6, using: &self.random)).map { _ in pieces.randomElement(using: &self.random)! }
            .joined()
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
