/// Where the log is written: standard error, an entry a line, whatever text is in it.
struct LogStream: TextOutputStream {
    mutating func write(_ entry: String) {
        Console.complain((entry.hasSuffix("\n") ? String(entry.dropLast()) : entry).escapingControls)
    }
}
