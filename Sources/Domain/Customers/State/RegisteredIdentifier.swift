package import Subscriptions

/// The fold of an identifier's own stream: to whom an `appAccountToken` or an `appTransactionId` leads.
package struct RegisteredIdentifier: Hashable, Sendable {
    /// Raised whenever the same log may lead to another state; the state row carries it.
    package static let logicVersion = 1

    /// In clear text; nil where no event has said it, or it has been erased.
    package private(set) var identifier: String?
    /// The customer that has registered it; nil when none has, or it has been taken back.
    package private(set) var holder: CustomerID?
    /// When the newest event was recorded.
    package private(set) var changedAt: Moment

    /// - Parameters: as they were stored.
    package init(
        _ identifier: String? = nil, holder: CustomerID? = nil, changedAt: Moment = .distantPast
    ) {
        self.identifier = identifier
        self.holder = holder
        self.changedAt = changedAt
    }

    /// Folds one recorded event.
    /// - Parameter moment: when it was recorded.
    package mutating func apply(_ registration: Registration, at moment: Moment) {
        self.changedAt = max(self.changedAt, moment)
        if let identifier = registration.identifier { self.identifier = identifier }
        switch registration.action {
        case .registered: self.holder = registration.customer
        case .released: self.holder = nil
        }
    }
}
