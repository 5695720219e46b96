package import Logging

/// Passes on all but what the HTTP server says when its end is cut short, by a second signal or by a service beside it that
/// fails: it calls that an error, and nothing is wrong.
package struct ShutdownQuietLogHandler: LogHandler {
    private static let source = "HummingbirdCore"
    private static let beginnings = ["Waiting on child channel", "Server shutdown error"]

    private var handler: any LogHandler

    package init(_ handler: any LogHandler) { self.handler = handler }

    package var logLevel: Logger.Level {
        get { self.handler.logLevel }
        set { self.handler.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { self.handler.metadata }
        set { self.handler.metadata = newValue }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { self.handler.metadataProvider }
        set { self.handler.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.handler[metadataKey: key] }
        set { self.handler[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        let text = event.message.description
        if event.source == Self.source, Self.beginnings.contains(where: text.hasPrefix) { return }
        self.handler.log(event: event)
    }
}
