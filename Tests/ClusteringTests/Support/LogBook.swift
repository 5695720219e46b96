import Logging
import Synchronization

/// Keeps what is logged.
final class LogBook: Sendable {
    private let lines = Mutex<[String]>([])

    /// How many lines, each a message and the reason that goes with it, have this text.
    func count(of text: String) -> Int { self.lines.withLock { lines in lines.count { $0.contains(text) } } }

    var handler: any LogHandler { Handler(book: self) }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let reason = event.metadata?["reason"].map { "\($0)" } ?? ""
            self.book.lines.withLock { $0.append("\(event.message): \(reason)") }
        }
    }
}
