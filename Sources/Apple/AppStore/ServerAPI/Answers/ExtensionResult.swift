package import Subscriptions

/// What became of one subscriber's extension.
package struct ExtensionResult: Hashable, Sendable {
    package var originalTransactionID: String?
    package var webOrderLineItemID: String?
    package var success = false
    /// The new renewal date.
    package var effectiveDate: Moment?

    package init() {}
}

/// How far an extension for all subscribers is.
package struct MassExtensionStatus: Hashable, Sendable {
    package var requestIdentifier: String?
    package var complete = false
    /// This and the counts only when complete.
    package var completeDate: Moment?
    package var succeededCount: Int64?
    package var failedCount: Int64?

    package init() {}
}
