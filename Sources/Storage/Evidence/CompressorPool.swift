import Foundation
import Synchronization

/// A compressor for each processor: none is waited for while another is free.
final class CompressorPool: Sendable {
    private final class Slot: Sendable {
        let zstandard: Mutex<Zstandard>

        init(dictionary: [UInt8]) { self.zstandard = Mutex(Zstandard(dictionary: dictionary)) }
    }

    private let slots: [Slot]

    init(dictionary: [UInt8]) {
        self.slots = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in Slot(dictionary: dictionary) }
    }

    func use<Result: Sendable, Failure: Error>(
        _ body: (inout sending Zstandard) throws(Failure) -> sending Result
    ) throws(Failure) -> Result {
        for slot in self.slots {
            if let result = try slot.zstandard.withLockIfAvailable(body) { return result }
        }
        return try self.slots[0].zstandard.withLock(body)
    }
}
