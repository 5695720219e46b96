import Synchronization

/// Where the API hands in orders and the simulation takes them up: between two turns, one after the other.
final class OrderQueue: Sendable {
    struct Pending: Sendable {
        let order: StoreOrder
        fileprivate let continuation: CheckedContinuation<StoreOrder.Outcome?, Never>

        /// Exactly once for each.
        func settle(_ outcome: StoreOrder.Outcome?) { self.continuation.resume(returning: outcome) }
    }

    private struct Contents {
        var pending: [Pending] = []
        var isOpen = true
    }

    private let contents = Mutex(Contents())
    private let bell = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Returns: nil when the simulation has stopped.
    func place(_ order: StoreOrder) async -> StoreOrder.Outcome? {
        await withCheckedContinuation { continuation in
            let pending = Pending(order: order, continuation: continuation)
            let isOpen = self.contents.withLock { contents in
                if contents.isOpen { contents.pending.append(pending) }
                return contents.isOpen
            }
            if isOpen { self.bell.continuation.yield() } else { pending.settle(nil) }
        }
    }

    /// Waits until there are orders. At most one waits at a time.
    func arrival() async { for await _ in self.bell.stream { break } }

    func take() -> [Pending] {
        self.contents.withLock { contents in
            defer { contents.pending = [] }
            return contents.pending
        }
    }

    /// Nothing is carried out any more.
    func close() {
        let pending = self.contents.withLock { contents in
            contents.isOpen = false
            defer { contents.pending = [] }
            return contents.pending
        }
        for order in pending { order.settle(nil) }
    }
}
