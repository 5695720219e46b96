package import Subscriptions

/// What is due when: a binary heap by moment; what is due at the same moment comes in the order it was entered.
package struct Agenda<Item: Sendable>: Sendable {
    private struct Entry {
        let due: Moment
        let order: UInt64
        let item: Item

        static func < (left: Self, right: Self) -> Bool { (left.due, left.order) < (right.due, right.order) }
    }

    private var heap: [Entry] = []
    private var entered: UInt64 = 0

    package init() {}

    package var nextDue: Moment? { self.heap.first?.due }

    package mutating func enter(_ item: Item, due: Moment) {
        self.heap.append(Entry(due: due, order: self.entered, item: item))
        self.entered += 1
        var child = self.heap.count - 1
        while child > 0, self.heap[child] < self.heap[(child - 1) / 2] {
            self.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    package mutating func next() -> (due: Moment, item: Item)? {
        guard let first = self.heap.first, let last = self.heap.popLast() else { return nil }
        if !self.heap.isEmpty {
            self.heap[0] = last
            self.siftDown()
        }
        return (first.due, first.item)
    }

    package mutating func next(dueBy moment: Moment) -> (due: Moment, item: Item)? {
        guard let due = self.nextDue, due <= moment else { return nil }
        return self.next()
    }

    package mutating func removeAll() { self.heap.removeAll() }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < self.heap.count {
                if self.heap[child] < self.heap[smallest] { smallest = child }
            }
            guard smallest != parent else { return }
            self.heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
