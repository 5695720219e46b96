import Synchronization

/// A line that stays below all others on a terminal, and is repeated at longer intervals elsewhere.
final class StatusLine: Sendable {
    let interval: Duration = Console.isTerminal ? .milliseconds(500) : .seconds(5)

    private let shown = Mutex("")

    func show(_ text: String) {
        self.shown.withLock { shown in
            guard Console.isTerminal else { return Console.print(text) }
            shown = text
            Console.replaceLine(text)
        }
    }

    /// A line that stays.
    func print(_ line: String) {
        self.shown.withLock { shown in
            guard !shown.isEmpty else { return Console.print(line) }
            Console.replaceLine("")
            Console.print(line)
            Console.replaceLine(shown)
        }
    }

    /// Gives the terminal back, the cursor at the beginning of an empty line.
    func end() {
        self.shown.withLock { shown in
            if !shown.isEmpty { Console.replaceLine("") }
            shown = ""
        }
    }
}
