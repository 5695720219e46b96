package import Subscriptions

/// The fold of a customer's own stream: what people at the publisher's have said of the customer, in its order. It stays below
/// 16 KB whatever the history.
package struct CustomerState: Hashable, Sendable {
    /// Raised whenever the same log may lead to another state; the state row carries it.
    package static let logicVersion = 1

    /// In the order in which they were first made, those that have ended too as long as there is room for them.
    package private(set) var grants: [Grant]
    package private(set) var attributes: [String: AttributeValue]
    /// When the newest event was recorded.
    package private(set) var changedAt: Moment

    package static let grantLimit = 50
    /// Of all grants together, by their `size`.
    package static let grantBytes = 14 * 1_024
    package static let attributeLimit = 32
    /// Of names and values together, in bytes.
    package static let attributeBytes = 1_024

    /// - Parameters: as they were stored.
    package init(
        grants: [Grant] = [], attributes: [String: AttributeValue] = [:], changedAt: Moment = .distantPast
    ) {
        self.grants = grants
        self.attributes = attributes
        self.changedAt = changedAt
    }

    package func grant(_ id: String) -> Grant? { self.grants.first { $0.id == id } }

    /// The grants for whoever judges them by a clock that may be behind the one by which they were recorded: what had happened
    /// by then has happened.
    package func grants(seenAt moment: Moment) -> [Grant] {
        self.grants.map { grant in
            var grant = grant
            if grant.from <= self.changedAt { grant.from = min(grant.from, moment) }
            grant.revokedAt = grant.revokedAt.map { min($0, moment) }
            return grant
        }
    }

    /// Folds one recorded event.
    /// - Parameter moment: when it was recorded.
    package mutating func apply(_ record: CustomerRecord, at moment: Moment) {
        self.changedAt = moment
        switch record.content {
        case .granted(let grant):
            self.makeRoom(for: grant, at: moment)
            if let place = self.grants.firstIndex(where: { $0.id == grant.id }) {
                self.grants[place] = grant
            } else {
                self.grants.append(grant)
            }
        case .revoked(let id, let revokedAt):
            if let place = self.grants.firstIndex(where: { $0.id == id }) { self.grants[place].revokedAt = revokedAt }
        case .attributes(let changes):
            for (name, value) in changes { self.attributes[name] = value }
        }
    }

    /// Whether a customer may have `grant` beside those of `grants` that have other ids.
    static func fits(_ grant: Grant, beside grants: [Grant]) -> Bool {
        let others = grants.filter { $0.id != grant.id }
        return others.count < Self.grantLimit && others.reduce(grant.size) { $0 + $1.size } <= Self.grantBytes
    }

    /// Of the others that have ended the one that ended first goes: the log has it still.
    private mutating func makeRoom(for grant: Grant, at moment: Moment) {
        while !Self.fits(grant, beside: self.grants) {
            let ended = self.grants.enumerated().filter { $1.id != grant.id && !$1.isLive(at: moment) }
            guard let first = ended.min(by: { ($0.element.end ?? moment) < ($1.element.end ?? moment) }) else { return }
            self.grants.remove(at: first.offset)
        }
    }
}
