import Synchronization

/// What is under way altogether, for the batchers that share it. When there are many batches, each batcher sends one at a
/// time: fuller batches cost less for each command than they cost it in waiting. The bytes that wait are bounded, however
/// many batchers they wait in.
package final class BatchTraffic: Sendable {
    private let busyFrom: Int
    private let byteLimit: Int
    private let underWay = Atomic(0)
    private let waitingBytes = Atomic(0)

    /// - Parameters:
    ///   - busyFrom: so many batches are many.
    ///   - byteLimit: once commands of so many bytes wait for a batch, no more may wait.
    package init(busyFrom: Int, byteLimit: Int = 64 << 20) {
        self.busyFrom = busyFrom
        self.byteLimit = byteLimit
    }

    var isBusy: Bool { self.underWay.load(ordering: .relaxed) >= self.busyFrom }

    func begin() { self.underWay.wrappingAdd(1, ordering: .relaxed) }

    func end() { self.underWay.wrappingSubtract(1, ordering: .relaxed) }

    /// A command of so many bytes is to wait; false when there is no room. The last one finds room however large it is.
    func beginWaiting(_ bytes: Int) -> Bool {
        guard self.waitingBytes.wrappingAdd(bytes, ordering: .relaxed).oldValue < self.byteLimit else {
            self.endWaiting(bytes)
            return false
        }
        return true
    }

    /// For one or more that were let in.
    func endWaiting(_ bytes: Int) { self.waitingBytes.wrappingSubtract(bytes, ordering: .relaxed) }
}
