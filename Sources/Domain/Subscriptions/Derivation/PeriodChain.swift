/// Periods in a row: until when each is paid, and until when the unbroken chain that starts with it. Found once, from the last
/// to the first, so that a long history takes no more time than its length.
struct PeriodChain: Hashable {
    private struct Link: Hashable {
        let start: Moment
        /// Of the chain that starts here.
        let end: Moment
        /// The first period that this chain does not reach.
        let next: Int
    }

    private var links: [Link]

    /// - Parameter periods: ascending by start. A period without an end of its own adds nothing.
    init(_ periods: some Sequence<(start: Moment, end: Moment)>) {
        self.links = periods.map { Link(start: $0.start, end: $0.end, next: 0) }
        for index in self.links.indices.reversed() {
            let (end, next) = self.reach(from: index, first: self.links[index].end)
            self.links[index] = Link(start: self.links[index].start, end: end, next: next)
        }
    }

    /// - Parameter end: of the period at `index`.
    func end(from index: Int, first end: Moment) -> Moment { self.reach(from: index, first: end).end }

    private func reach(from index: Int, first end: Moment) -> (end: Moment, next: Int) {
        var (end, next) = (end, index + 1)
        while next < self.links.count, self.links[next].start <= end {
            end = max(end, self.links[next].end)
            next = self.links[next].next
        }
        return (end, next)
    }
}
