import Logging
import Perennial
import Synchronization
import Testing

@Suite struct ShutdownQuietLogHandlerTests {
    /// Keeps what comes.
    private struct Recorder: LogHandler {
        final class Lines: Sendable {
            let texts = Mutex<[String]>([])
        }

        let lines: Lines
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.lines.texts.withLock { $0.append(event.message.description) } }
    }

    @Test func onlyTheServersWordsAboutItsEndAreLeftOut() {
        let lines = Recorder.Lines()
        let logger = Logger(label: "test") { _ in ShutdownQuietLogHandler(Recorder(lines: lines)) }

        logger.error("Server shutdown error: Already closed", source: "HummingbirdCore")
        logger.error("Waiting on child channel: CancellationError()", source: "HummingbirdCore")
        logger.error("Server channel error", source: "HummingbirdCore")
        logger.error("Server shutdown error: Already closed")
        logger.debug("too much")

        #expect(lines.texts.withLock(\.self) == ["Server channel error", "Server shutdown error: Already closed"])
    }
}
