/// Posts a message.
package protocol WebhookTransport: Sendable {
    /// Any status is an answer. No redirect is followed.
    /// - Parameter endpoint: whose message it is: no other waits for it, wherever their messages go.
    /// - Throws: when there was none in time, or nobody may be asked there.
    func post(
        _ body: [UInt8], _ fields: [(name: String, value: String)], to target: WebhookTarget,
        of endpoint: String
    ) async throws(DeliveryFailure) -> WebhookAnswer
}

package struct WebhookAnswer: Hashable, Sendable {
    package var status: Int
    /// `Retry-After` in seconds; one that is a date is passed over.
    package var retryAfter: Int64?

    package init(status: Int, retryAfter: Int64? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }

    /// nil for a success, by the Standard Webhooks specification: any 2xx.
    package var failure: DeliveryFailure? {
        guard !(200...299).contains(self.status) else { return nil }
        return DeliveryFailure(
            "status \(self.status)", isAbsence: [429, 502, 503, 504].contains(self.status), retryAfter: self.retryAfter,
            isGone: self.status == 410)
    }
}
