import Subscriptions

/// The content of the message of the same name.
struct PersonalIdentifiers: Equatable {
    var owners: [Facts.Owner] = []
    var customerID: String?
    var rescinded: String?
    var linkToken: String?
    var appAccountToken: String?
    var appTransactionID: String?
    var linkedCustomerID: String?
    var sharingCustomerIDs: [String] = []
    var conflictingCustomerIDs: [String] = []
    var otherCustomerID: String?
    var registeredIdentifier: String?
}
