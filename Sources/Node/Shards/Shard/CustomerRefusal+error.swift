package import Customers
package import ServiceContract
import Subscriptions

extension CustomerRecord {
    /// What an event with this record has changed.
    var change: Change {
        switch self.content {
        // One that is restored as it was taken back gives nothing.
        case .granted(let grant): grant.revokedAt == nil ? .granted : .grantRevoked
        case .revoked: .grantRevoked
        case .attributes: .attributesChanged
        case .takes, .givesBack: .moveExpected
        case .drops, .stays: .moveGivenUp
        case .taken, .left: .moveSettled
        case .moved, .returned: .moved
        case .told(let change): change.change
        case .duplicatePayment: .duplicatePayment
        case .duplicatePaymentClosed: .duplicatePaymentClosed
        }
    }
}

extension Registration {
    /// What an event with it has changed.
    var change: Change { self.action == .registered ? .registered : .released }
}

extension ServiceError {
    /// Why nothing of a customer was changed.
    package init(_ refusal: CustomerRefusal) {
        switch refusal {
        case .grantExists:
            self.init(
                .grantExists,
                "the customer has a grant of this id that says something else: PUT …/grants/{grantId} replaces it")
        case .grantIsOver: self.init(.invalidGrant, "until is in the past: give a later moment")
        case .grantEndsBeforeItBegins: self.init(.invalidGrant, "until is not after from")
        case .tooManyGrants:
            self.init(
                .tooManyGrants,
                "a customer has room for \(CustomerState.grantLimit) grants that have not ended, and "
                    + "\(CustomerState.grantBytes >> 10) KB of their texts: take one of them back first")
        case .unknownGrant: self.init(.unknownGrant, "the customer has no grant of this id")
        case .nothingToUndo: self = .nothingToUndo
        case .severalGrants:
            self.init(
                .ambiguous,
                "several grants of this id were made under other ids of the customer: ask under the id under which it was "
                    + "made")
        case .customerMoved:
            self.init(
                .customerMoved,
                "the customer has been moved to another one: GET /v1/customers/{customerId} says to whom")
        case .customerMoving:
            self.init(
                .customerMoving,
                "another change or move of the customer was made at the same time: send the request again")
        case .tooManyNames:
            self.init(
                .tooManyIdentifiers,
                "\(CustomerState.nameLimit) ids may be one customer, and together these would be more")
        case .tooManyAttributes:
            self.init(
                .invalidAttributes,
                "a customer has \(CustomerState.attributeLimit) attributes at most, and \(CustomerState.attributeBytes) bytes "
                    + "of names and values: remove some by setting them to null")
        }
    }
}
