package import EventLog

/// The two bytes that a published message begins with, by which subscribers choose.
package enum StreamTopic: Hashable, Sendable {
    /// A `StreamDelta` of this shard follows.
    case shard(ShardID)
    /// A `StreamBeat` follows.
    case beat

    package static let size = 2
    private static let beatNumber = UInt16.max

    /// nil for what is no published message.
    package init?(_ message: [UInt8]) {
        guard message.count >= Self.size else { return nil }
        let number = UInt16(message[0]) << 8 | UInt16(message[1])
        self = number == Self.beatNumber ? .beat : .shard(ShardID(rawValue: number))
    }

    package var bytes: [UInt8] {
        let number =
            switch self {
            case .shard(let shard): shard.rawValue
            case .beat: Self.beatNumber
            }
        return [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
}
