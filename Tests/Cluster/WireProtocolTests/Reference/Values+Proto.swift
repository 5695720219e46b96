import FoundationEssentials
import Subscriptions
import WireProtocol

extension ProtoIdentifier {
    func spelling() throws(Refusal) -> String {
        switch self.form {
        case .text(let text): text
        case .number(let number): String(number)
        case .uuid(let bytes): try Self.uuid(bytes).lowercased()
        case .upperCaseUuid(let bytes): try Self.uuid(bytes)
        case nil: throw Refusal(.malformed, "an identifier without a form")
        }
    }

    private static func uuid(_ bytes: Data) throws(Refusal) -> String {
        guard bytes.count == 16 else { throw Refusal(.malformed, "a UUID has 16 bytes") }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
    }
}

extension PayloadDigest {
    init(proto: Data) throws(Refusal) {
        guard proto.count == 32 else { throw Refusal(.malformed, "a SHA-256 digest has 32 bytes") }
        self.init(proto)
    }
}

extension [ProtoOwner] {
    func owner(at place: Int) -> ProtoOwner { place < self.count ? self[place] : self.last ?? ProtoOwner() }
}

extension [String] {
    func product(at place: UInt32) throws(Refusal) -> String? {
        guard place > 0 else { return nil }
        guard place <= self.count else { throw Refusal(.malformed, "a product that is not in the list") }
        return self[Int(place) - 1]
    }
}

extension KnownWord {
    func text(orOther other: String) throws(Refusal) -> String? {
        if self == .unspecified { return nil }
        if self == .other { return other }
        guard let spelling = Self.words.spelling(of: self.rawValue) else {
            throw Refusal(.unknownWord, "number \(self.rawValue)")
        }
        return spelling
    }
}
