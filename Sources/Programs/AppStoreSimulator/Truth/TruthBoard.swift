package import Subscriptions
import Synchronization

/// The truths of everything sold so far, for all to read while customers go on living.
package final class TruthBoard: Sendable {
    private struct Contents {
        /// In the order of sale.
        var truths: [Truth] = []
        var places: [String: Int] = [:]
        var settled = Moment.distantPast
    }

    private let contents = Mutex(Contents())

    func update(_ truths: [Truth]) {
        self.contents.withLock { contents in
            for truth in truths {
                if let place = contents.places[truth.originalTransactionID] {
                    contents.truths[place] = truth
                } else {
                    contents.places[truth.originalTransactionID] = contents.truths.count
                    contents.truths.append(truth)
                }
            }
        }
    }

    /// Nothing that happened up to this moment is still to come.
    func settle(_ moment: Moment) { self.contents.withLock { $0.settled = max($0.settled, moment) } }

    /// Truths of moments up to this one are final. The clock may be ahead of it.
    package var settled: Moment { self.contents.withLock { $0.settled } }

    /// What really is true of a subscription or purchase; nil when no such thing was sold.
    package func truth(of originalTransactionID: String) -> Truth? {
        self.contents.withLock { contents in
            contents.places[originalTransactionID].map { contents.truths[$0] }
        }
    }

    /// What was sold after something else, in the order of sale; nil when that something was not sold.
    ///
    /// - Parameter id: nil for the first ones.
    package func truths(after id: String?, limit: Int) -> (truths: [Truth], isLast: Bool)? {
        self.contents.withLock { contents in
            guard let id else { return (Array(contents.truths.prefix(limit)), contents.truths.count <= limit) }
            guard let place = contents.places[id] else { return nil }
            let rest = contents.truths[(place + 1)...]
            return (Array(rest.prefix(limit)), rest.count <= limit)
        }
    }

    /// The `originalTransactionId`s that were sold first.
    package func ids(first count: Int) -> [String] {
        self.contents.withLock { $0.truths.prefix(count).map(\.originalTransactionID) }
    }
}
