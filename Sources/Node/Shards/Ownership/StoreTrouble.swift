import EventLog
import Logging

/// Says once that the store does not do something, and once that it does again.
struct StoreTrouble {
    private let logger: Logger
    private let beginning: Logger.Message
    private let ending: Logger.Message
    private var isUnderWay = false

    init(_ logger: Logger, _ beginning: Logger.Message, _ ending: Logger.Message) {
        self.logger = logger
        self.beginning = beginning
        self.ending = ending
    }

    mutating func record(_ error: StoreError) {
        if !self.isUnderWay { self.logger.warning(self.beginning, metadata: .runtime([.error: "\(error.message)"])) }
        self.isUnderWay = true
    }

    mutating func end() {
        if self.isUnderWay { self.logger.notice(self.ending) }
        self.isUnderWay = false
    }
}
