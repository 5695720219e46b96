package import Subscriptions

/// Up to when nothing that Apple sent for an account has been missed: nodes were there to take it, or it was fetched from
/// the history. Kept in the store, so that whoever starts next notices a gap.
package struct Coverage: Hashable, Sendable {
    /// Notifications whose first attempt was before it are in the log, or were answered with an error.
    package var until: Moment
    /// The last look at Apple's failed deliveries reached up to here.
    package var failuresUntil: Moment

    package init(until: Moment, failuresUntil: Moment) {
        self.until = until
        self.failuresUntil = failuresUntil
    }

    /// The name of its bookmark.
    package static func name(of bundleID: BundleID, _ environment: AppStoreEnvironment) -> String {
        "coverage/\(environment.rawValue)/\(bundleID.rawValue)"
    }

    /// nil for what this version did not write.
    package init?(bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        guard words.count >= 2 else { return nil }
        self.init(until: Moment(milliseconds: words[0]), failuresUntil: Moment(milliseconds: words[1]))
    }

    package var bytes: [UInt8] { Array("\(self.until.milliseconds) \(self.failuresUntil.milliseconds)".utf8) }
}
