import Synchronization

/// How many batches are under way altogether, for the batchers that share it. When there are many, each batcher sends
/// one at a time: fuller batches cost less for each command than they cost it in waiting.
package final class BatchTraffic: Sendable {
    private let busyFrom: Int
    private let underWay = Atomic(0)

    /// - Parameter busyFrom: so many batches are many.
    package init(busyFrom: Int) { self.busyFrom = busyFrom }

    var isBusy: Bool { self.underWay.load(ordering: .relaxed) >= self.busyFrom }

    func begin() { self.underWay.wrappingAdd(1, ordering: .relaxed) }

    func end() { self.underWay.wrappingSubtract(1, ordering: .relaxed) }
}
