package import Subscriptions

/// The fold of an identifier's own stream: to whom an `appAccountToken` or an `appTransactionId` leads.
package struct RegisteredIdentifier: Hashable, Sendable {
    /// Raised whenever the same log may lead to another state; the state row carries it.
    package static let logicVersion = 1

    /// In clear text; nil where no event has said it, or it has been erased.
    package private(set) var identifier: String?
    /// The customer that has registered it; nil when none has, or it has been taken back.
    package private(set) var holder: CustomerID?
    /// The request that has registered it may still take that back.
    package private(set) var isProvisional: Bool
    /// A link has registered it, and no request has since.
    package private(set) var isByLink: Bool

    /// - Parameters: as they were stored.
    package init(
        _ identifier: String? = nil, holder: CustomerID? = nil, isProvisional: Bool = false, isByLink: Bool = false
    ) {
        self.identifier = identifier
        self.holder = holder
        self.isProvisional = isProvisional
        self.isByLink = isByLink
    }

    package mutating func apply(_ registration: Registration) {
        self.isProvisional = registration.isProvisional
        self.isByLink = registration.isByLink && registration.action == .registered
        if let identifier = registration.identifier { self.identifier = identifier }
        switch registration.action {
        case .registered: self.holder = registration.customer
        case .released: self.holder = nil
        }
    }
}
