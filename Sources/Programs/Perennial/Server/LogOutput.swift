import Logging

/// Logs go to standard error, so that what a command prints can be piped.
enum LogOutput {
    /// Call once in a process.
    static func start(level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler(label: label, stream: LogStream())
            handler.logLevel = level
            return ShutdownQuietLogHandler(handler)
        }
        return Logger(label: "perennial")
    }
}
