import Hummingbird
import ServiceContract
import SubscriptionService

/// Where the service's codes become statuses.
extension ServiceError.Code {
    var status: HTTPResponse.Status {
        switch self {
        case .invalidJWTFormat, .invalidCertificate, .invalidChainLength, .verificationFailure, .invalidAppIdentifier,
            .invalidEnvironment, .appStoreRefused, .transactionElsewhere, .invalidGrant, .tooManyGrants,
            .invalidAttributes, .tooManyIdentifiers:
            .unprocessableContent
        case .futureMoment, .invalidCursor, .invalidRequest, .invalidCustomerId: .badRequest
        case .unknownSubscription, .unknownPurchase, .unknownCustomer, .unknownEntitlement, .unknownJob,
            .unknownWebhook, .unknownGrant:
            .notFound
        case .ambiguous, .storeRewound, .olderNodes, .notConfigured, .linkedElsewhere, .tooManySharers, .grantExists,
            .customerMoved, .customerDeleted, .tokenElsewhere, .nothingToUndo:
            .conflict
        // Not a 5xx, which some proxies and clients repeat by themselves.
        case .appStoreOutcomeUnknown: .conflict
        case .retryableVerificationFailure, .clockSkew, .overloaded, .stopping, .notOwner, .frozen, .storeUnavailable,
            .storeFull, .parked, .customerMoving, .otherRules, .appStoreUnavailable:
            .serviceUnavailable
        case .corrupt: .internalServerError
        }
    }

    var title: String {
        switch self {
        case .invalidJWTFormat: "Not a signed payload"
        case .invalidCertificate: "A certificate cannot be read"
        case .invalidChainLength: "Not a chain of three certificates"
        case .verificationFailure: "The signature does not hold"
        case .invalidAppIdentifier: "The payload is of another app"
        case .invalidEnvironment: "The payload is of another environment"
        case .retryableVerificationFailure: "The certificate could not be checked now"
        case .unknownSubscription: "No such subscription"
        case .unknownPurchase: "No such purchase"
        case .unknownCustomer: "No such customer"
        case .invalidCustomerId: "Not a customer's id"
        case .unknownEntitlement: "No such entitlement in the catalog"
        case .ambiguous: "The id is ambiguous"
        case .futureMoment: "The moment lies in the future"
        case .invalidCursor: "Not a cursor or token of this service"
        case .storeRewound: "The log is not the one the cursor was taken from"
        case .invalidRequest: "The request is not valid"
        case .olderNodes: "Older nodes live"
        case .notConfigured: "Apple cannot be asked about this app"
        case .linkedElsewhere: "The purchase is another customer's"
        case .tooManySharers: "Too many customers share the purchase"
        case .grantExists: "Another grant has the id"
        case .invalidGrant: "The grant's dates are not valid"
        case .tooManyGrants: "Too many grants"
        case .unknownGrant: "No such grant"
        case .customerMoved: "The customer has been moved"
        case .customerDeleted: "The customer is being deleted"
        case .otherRules: "The nodes differ"
        case .customerMoving: "The customer is being moved"
        case .tooManyIdentifiers: "Too many identifiers"
        case .tokenElsewhere: "The identifier is another customer's"
        case .nothingToUndo: "Nothing can be undone"
        case .invalidAttributes: "Too many attributes"
        case .appStoreRefused: "Apple has refused this"
        case .transactionElsewhere: "The transaction is of another purchase"
        case .appStoreOutcomeUnknown: "Nobody knows whether Apple has done this"
        case .unknownJob: "No such job"
        case .unknownWebhook: "No such webhook endpoint"
        case .clockSkew: "A clock is wrong"
        case .overloaded: "Too much work is waiting"
        case .stopping: "The node is starting or stopping"
        case .notOwner: "Another node has to answer"
        case .frozen: "Its owner cannot answer for the shard yet"
        case .storeUnavailable: "The store is not available"
        case .storeFull: "The store is full"
        case .parked: "This could not be stored"
        case .appStoreUnavailable: "Apple does not answer now"
        case .corrupt: "The store returned what was not written"
        }
    }
}
