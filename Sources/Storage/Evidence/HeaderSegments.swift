import ByteCoding
import EventLog
import Synchronization

/// The few header segments that nearly all rows have in common, so that rows in memory share them, and a store sees at once
/// that it knows one.
final class HeaderSegments: Sendable {
    /// Apple signs with a handful of chains at a time.
    private static let limit = 16

    /// Newest first.
    private let known = Mutex<[[UInt8]]>([])

    /// An equal segment, the same one for all who ask.
    func shared(_ segment: [UInt8]) -> [UInt8] {
        let known = self.known.withLock { $0 }
        if let same = known.first(where: { $0[...].isSame(as: segment[...]) }) { return same }
        self.known.withLock { $0 = [segment] + $0.prefix(Self.limit - 1) }
        return segment
    }
}
