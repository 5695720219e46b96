import Logging
import Synchronization

/// Keeps the errors that are logged, each as one text with its metadata, and all else in another list.
final class ErrorLines: Sendable {
    private struct Contents {
        var errors: [String] = []
        var others: [String] = []
    }

    private let contents = Mutex(Contents())

    var errors: [String] { self.contents.withLock { $0.errors } }

    var all: [String] { self.contents.withLock { $0.errors + $0.others } }

    var logger: Logger { Logger(label: "node") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: ErrorLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
            let text = ([event.message.description] + metadata.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
            self.lines.contents.withLock { contents in
                if event.level >= .error { contents.errors.append(text) } else { contents.others.append(text) }
            }
        }
    }
}
