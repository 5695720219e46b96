/// Which event kinds and state formats may be written. A store has one level, and a binary the newest that it supports;
/// the store's is raised when every living node supports more (`perennial cluster finalize`), and never lowered.
///
/// Raise `supported` by one when this binary is to write what the last release cannot read. It reads it at once, and
/// writes it once the store has that level: `guard level >= FeatureLevel(rawValue: 2)`, and otherwise the old form. The
/// level of the moment comes with every `ClusterView`, which `OwnershipController` reads four times a second. So two
/// releases run side by side, and until somebody says `finalize` the older one can come back. The old form can go when
/// no supported release knows the lower level alone.
///
/// What older binaries do not read needs no level: a column that may be missing, one more member of an answer.
package struct FeatureLevel: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Of a new store, and of binaries that know no levels.
    package static let first = Self(rawValue: 1)
    /// Events of people: links that a backend makes, by policies.
    package static let customers = Self(rawValue: 2)
    /// Streams of customers: grants and attributes.
    package static let customerStreams = Self(rawValue: 3)
    /// Customers that are moved, and conflicts that are dismissed.
    package static let customerMoves = Self(rawValue: 4)
    /// Streams of identifiers: tokens and app transactions that customers register.
    package static let registrations = Self(rawValue: 5)
    /// Events that changed rules cause.
    package static let reevaluations = Self(rawValue: 6)
    /// Requests to take back what somebody has said.
    package static let undo = Self(rawValue: 6)
    /// Commits that leave something to do elsewhere: streams that others supersede, and customers who are told of changed answers.
    package static let outbox = Self(rawValue: 7)
    /// Streams that forget deleted customers.
    package static let erasure = Self(rawValue: 8)
    /// Customers who are told what they pay for twice.
    package static let duplicatePayments = Self(rawValue: 9)
    /// Moves of customers that are taken back.
    package static let moveUndo = Self(rawValue: 10)
    /// Links of what a device has at a launch.
    package static let launch = Self(rawValue: 10)
    /// The newest that this build can read and write.
    package static let supported = Self.moveUndo

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// To be asked before a node owns anything: a store of a higher level may hold what it does not understand.
    /// - Throws: `.incompatible`.
    package func check(supports level: FeatureLevel) throws(StoreError) {
        if let refusal = self.refusal(of: level) { throw refusal }
    }

    /// nil when this one supports `level`.
    package func refusal(of level: FeatureLevel) -> StoreError? {
        guard level > self else { return nil }
        return StoreError(
            .incompatible,
            "the store is at feature level \(level), and this version supports \(self) at most: run a newer version")
    }
}

extension FeatureLevel: CustomStringConvertible {
    package var description: String { "\(self.rawValue)" }
}
