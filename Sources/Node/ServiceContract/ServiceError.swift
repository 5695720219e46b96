/// What the service could not do, or refuses to. `message` is for people and never holds a payload.
package struct ServiceError: Error, Sendable {
    /// A word for programs, the `code` of a problem answer: Apple's failure classes as they are, ours in camel case.
    package enum Code: String, Sendable, CaseIterable {
        // What was posted is forged or malformed (422), Apple's classes.
        case invalidJWTFormat = "INVALID_JWT_FORMAT"
        case invalidCertificate = "INVALID_CERTIFICATE"
        case invalidChainLength = "INVALID_CHAIN_LENGTH"
        case verificationFailure = "VERIFICATION_FAILURE"
        case invalidAppIdentifier = "INVALID_APP_IDENTIFIER"
        case invalidEnvironment = "INVALID_ENVIRONMENT"
        /// A responder could not be asked (503).
        case retryableVerificationFailure = "RETRYABLE_VERIFICATION_FAILURE"

        // What was asked cannot be answered.
        /// No such subscription (404).
        case unknownSubscription
        /// No such purchase (404).
        case unknownPurchase
        /// Nothing leads to a customer of this id (404).
        case unknownCustomer
        /// What cannot be a customer's id (400).
        case invalidCustomerId
        /// The catalog has no entitlement of that name (404; so far of a single check only).
        case unknownEntitlement
        /// Several apps have a stream with this id; the question has to name the bundle (409).
        case ambiguous
        /// `at` or `knownAt` lies in the future (400).
        case futureMoment
        /// A cursor or token that this version did not write (400).
        case invalidCursor
        /// A cursor or token of another store, or ahead of this one: the log was rewound (409).
        case storeRewound
        /// Something asked for is out of range or contradictory (400).
        case invalidRequest
        /// Nodes live that do not support the feature level yet (409).
        case olderNodes
        /// The app has no `serverAPI` configured, so that Apple cannot be asked (409).
        case notConfigured
        /// The purchase belongs to another customer, and the policy lets nobody move it (409).
        case linkedElsewhere
        /// As many customers share the purchase as may (409).
        case tooManySharers
        /// The customer has another grant of this id (409).
        case grantExists
        /// A grant that ends before it begins, or is over already (422).
        case invalidGrant
        /// As many grants live as may, or as there is room for (422).
        case tooManyGrants
        /// The customer has no grant of this id (404).
        case unknownGrant
        /// The customer has been moved to another one, or the move would come back to where it began (409).
        case customerMoved
        /// The customer is being deleted: once that is done, the id is of a new one (409; the same request may be sent again).
        case customerDeleted
        /// As many others have been moved to the customer as may, or it has registered as many identifiers (422).
        case tooManyIdentifiers
        /// The token or app transaction is another customer's, and the policy lets nobody move it (409).
        case tokenElsewhere
        /// Nothing is as the event that is to be taken back has put it (409).
        case nothingToUndo
        /// More attributes than a customer may have (422).
        case invalidAttributes
        /// Apple has refused what was asked, for good (422).
        case appStoreRefused
        /// The transaction that a request names is not of the stream that it names (422).
        case transactionElsewhere
        /// Apple may have done what cannot be undone, or not: the same request could do it twice (409).
        case appStoreOutcomeUnknown
        /// No such job (404).
        case unknownJob
        /// No such webhook endpoint (404).
        case unknownWebhook

        // Trouble of our own: nothing was recorded, the same request may be sent again (503).
        /// A payload signed more than five minutes ahead of our clock.
        case clockSkew
        /// A bound on waiting work was reached.
        case overloaded
        /// The node is shutting down, or has not started.
        case stopping
        /// This node does not own the shard.
        case notOwner
        /// The shard is finding out whether its last commit happened, or another node may still answer for it.
        case frozen
        /// The store cannot be read or written now.
        case storeUnavailable
        /// The store, or the quarantine, is full.
        case storeFull
        /// This one command cannot be stored; its neighbours were.
        case parked
        /// The customer is being moved.
        case customerMoving
        /// The owner of the shard answers by other settings than the node that asks.
        case otherRules
        /// Apple could not be asked, or has no time now.
        case appStoreUnavailable
        /// What was read from the store is not what was written (500).
        case corrupt
    }

    package let code: Code
    package let message: String
    /// The same request may succeed later.
    package let retryable: Bool
    /// Seconds to wait before that, for `Retry-After`.
    package let retryAfter: Int?
    package let cause: (any Error)?
    package let location: String

    package init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.code = code
        self.message = message
        self.retryable = code.isRetryable
        self.retryAfter = code.isRetryable ? code.secondsToWait : nil
        self.cause = cause
        self.location = "\(file):\(line)"
    }
}

extension ServiceError.Code {
    /// Whether the fault is ours or passing, so that sending the same again can help.
    package var isRetryable: Bool {
        switch self {
        case .retryableVerificationFailure, .clockSkew, .overloaded, .stopping, .notOwner, .frozen, .storeUnavailable,
            .storeFull, .parked, .customerMoving, .customerDeleted, .otherRules, .appStoreUnavailable:
            true
        case .invalidJWTFormat, .invalidCertificate, .invalidChainLength, .verificationFailure, .invalidAppIdentifier,
            .invalidEnvironment, .unknownSubscription, .unknownPurchase, .unknownCustomer, .invalidCustomerId,
            .unknownEntitlement, .ambiguous, .futureMoment, .invalidCursor, .storeRewound,
            .invalidRequest, .olderNodes, .notConfigured, .linkedElsewhere, .tooManySharers,
            .grantExists, .invalidGrant, .tooManyGrants, .unknownGrant, .customerMoved, .tooManyIdentifiers,
            .tokenElsewhere, .nothingToUndo,
            .invalidAttributes, .appStoreRefused,
            .transactionElsewhere, .appStoreOutcomeUnknown, .unknownJob, .unknownWebhook, .corrupt:
            false
        }
    }

    /// The owner of a shard is unknown, cannot be reached, or does not know what became of its last commit: not that he is
    /// merely slow.
    package var saysOwnerIsAbsent: Bool {
        switch self {
        case .notOwner, .frozen, .stopping: true
        default: false
        }
    }

    /// Of a notification: it is Apple's, and trouble of our own keeps it from being recorded. `overloaded` says nothing, since
    /// payloads that wait for verification are refused with it too.
    package var saysPayloadIsGenuine: Bool {
        switch self {
        case .clockSkew, .notOwner, .frozen, .storeUnavailable, .storeFull, .parked: true
        default: false
        }
    }

    fileprivate var secondsToWait: Int {
        switch self {
        case .clockSkew, .storeFull, .parked, .appStoreUnavailable: 60
        case .overloaded, .frozen: 1
        default: 5
        }
    }
}

extension ServiceError {
    package static let customerDeleted = ServiceError(
        .customerDeleted,
        "a customer or an identifier of this request is being deleted: send it again when the job is done")

    package static let nothingToUndo = ServiceError(
        .nothingToUndo,
        "the event is not in the customer's history, is older than 30 days, cannot be taken back, or something has been said of the same "
            + "since: GET /v1/customers/{customerId} shows the history")
}
