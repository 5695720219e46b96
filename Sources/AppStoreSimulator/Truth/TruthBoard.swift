import Synchronization

/// The truths of everything sold so far, for all to read while customers go on living.
package final class TruthBoard: Sendable {
    private struct Contents {
        var truths: [String: Truth] = [:]
        var ids: [String] = []
    }

    private let contents = Mutex(Contents())

    func update(_ truths: [Truth]) {
        self.contents.withLock { contents in
            for truth in truths where contents.truths.updateValue(truth, forKey: truth.originalTransactionID) == nil {
                contents.ids.append(truth.originalTransactionID)
            }
        }
    }

    /// What really is true of a subscription or purchase; nil when no such thing was sold.
    package func truth(of originalTransactionID: String) -> Truth? {
        self.contents.withLock { $0.truths[originalTransactionID] }
    }

    /// The longest known `originalTransactionId`s.
    package func ids(first count: Int) -> [String] { self.contents.withLock { Array($0.ids.prefix(count)) } }
}
