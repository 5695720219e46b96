/// The 16 bytes of a UUID in its usual text form of 36 characters, of either case.
enum NotificationUUID {
    static func bytes(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var bytes: [UInt8] = []
        var position = 0
        while position < 36 {
            if [8, 13, 18, 23].contains(position) {
                guard characters[position] == .init(ascii: "-") else { return nil }
                position += 1
                continue
            }
            guard let high = Self.digit(characters[position]), let low = Self.digit(characters[position + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
            position += 2
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
