/// A line that stays in its place on a terminal, and is repeated at longer intervals elsewhere.
struct StatusLine {
    let interval: Duration = Console.isTerminal ? .milliseconds(500) : .seconds(10)

    func show(_ text: String) {
        if Console.isTerminal {
            Console.replaceLine(text)
        } else {
            Console.print(text)
        }
    }
}
