/// A line that stays below all others on a terminal, and is repeated at longer intervals elsewhere.
struct StatusLine {
    let interval: Duration = Console.isTerminal ? .milliseconds(500) : .seconds(5)

    /// - Parameter text: fields between commas or bars. Those that do not fit a terminal are left out from the right.
    func show(_ text: String) { Console.isTerminal ? Console.keepBelow(text) : Console.print(text) }

    /// A line that stays.
    func print(_ line: String) { Console.print(line) }

    /// Gives the terminal back, the cursor at the beginning of an empty line.
    func end() { if Console.isTerminal { Console.keepBelow("") } }
}
