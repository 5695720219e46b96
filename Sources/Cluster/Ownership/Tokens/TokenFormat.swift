import Crypto

enum TokenFormat: UInt8 {
    case positions = 1
    case page = 2

    /// Nobody has to hand in a longer text, in bytes: 76,492, which is what the places of 4,096 shards take, each below 2^42
    /// and written by an incarnation of its own. The place of a page is shorter.
    static let maximumLength: Int = {
        let beginning = 1 + 8 + 10  // the format, the store, how often it was restored
        let checksum = 4
        let tagCount = 2
        let tag = 5
        let position = 1 + 6 + 2  // the gap before its shard, its sequence, which of the tags
        let bytes = beginning + tagCount + 4_096 * (tag + position) + checksum
        return (bytes * 4 + 2) / 3  // base64 without padding
    }()

    static func checksum(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        Array(SHA256.hash(data: bytes)).prefix(4)
    }
}
