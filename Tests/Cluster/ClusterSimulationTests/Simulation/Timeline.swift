/// What is going to happen, in order of its moment; at one moment in the order in which it was planned.
final class Timeline {
    private struct Entry {
        var at: Duration
        var number: Int
        /// Where its body is.
        var slot: Int

        func precedes(_ other: Entry) -> Bool { (self.at, self.number) < (other.at, other.number) }
    }

    private(set) var now = Duration.zero
    /// A binary heap.
    private var heap: [Entry] = []
    private var bodies: [(() -> Void)?] = []
    private var freeSlots: [Int] = []
    private var count = 0

    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        self.count += 1
        let slot = self.freeSlots.popLast() ?? self.bodies.count
        if slot == self.bodies.count { self.bodies.append(body) } else { self.bodies[slot] = body }
        self.heap.append(Entry(at: self.now + delay, number: self.count, slot: slot))
        var child = self.heap.count - 1
        while child > 0, self.heap[child].precedes(self.heap[(child - 1) / 2]) {
            self.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    func run(until end: Duration) {
        while let next = self.heap.first, next.at <= end {
            self.removeFirst()
            self.now = next.at
            let body = self.bodies[next.slot]
            self.bodies[next.slot] = nil
            self.freeSlots.append(next.slot)
            body?()
        }
        self.now = end
    }

    private func removeFirst() {
        self.heap.swapAt(0, self.heap.count - 1)
        self.heap.removeLast()
        var parent = 0
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < self.heap.count && self.heap[child].precedes(self.heap[first]) { first = child }
            guard first != parent else { return }
            self.heap.swapAt(first, parent)
            parent = first
        }
    }
}
