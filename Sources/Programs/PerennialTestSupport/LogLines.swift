package import Logging
import Synchronization

/// Keeps what is logged, each line as one text with its metadata.
package final class LogLines: Sendable {
    private struct Contents {
        var errors: [String] = []
        var others: [String] = []
    }

    private let contents = Mutex(Contents())

    package init() {}

    package var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    package var errors: [String] { self.contents.withLock { $0.errors } }

    package var all: [String] { self.contents.withLock { $0.errors + $0.others } }

    /// How many lines have this text.
    package func count(of text: String) -> Int { self.all.count { $0.contains(text) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
            let text = (["\(event.message)"] + metadata).joined(separator: " ")
            self.lines.contents.withLock { contents in
                if event.level >= .error { contents.errors.append(text) } else { contents.others.append(text) }
            }
        }
    }
}
