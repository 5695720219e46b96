import Logging
import Synchronization

/// Keeps what is logged, each line with its metadata.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    /// How many lines have this text.
    func count(of text: String) -> Int { self.lines.withLock { lines in lines.count { $0.contains(text) } } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }.map { " \($0.key)=\($0.value)" }.sorted()
            self.lines.lines.withLock { $0.append("\(event.message)\(metadata.joined())") }
        }
    }
}
