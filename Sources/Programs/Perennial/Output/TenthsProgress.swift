import Synchronization

/// How far long work has come: a line on standard error for each tenth.
final class TenthsProgress: Sendable {
    private let tenths = Mutex(0)

    func report(_ done: Int, of total: Int) {
        guard total > 0 else { return }
        let tenth = done * 10 / total
        let isNew = self.tenths.withLock { reported in
            defer { reported = tenth }
            return tenth > reported
        }
        if isNew { Console.complain("\(done) of \(total)") }
    }
}
