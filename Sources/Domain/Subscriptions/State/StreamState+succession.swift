/// The streams before and after one whose original transaction id has changed (Apple's `previousOriginalTransactionId`).
extension StreamState {
    /// nil where no payload names one, and where one names the stream itself.
    package var predecessor: StreamKey? {
        self.leads.predecessor.flatMap { $0.value.rawValue == self.key.id ? nil : self.key.other($0.value) }
    }

    package var successors: [StreamKey] { self.leads.successors.map { self.key.other($0.value) } }
}

extension StreamKey {
    /// Of the same kind, app and environment.
    package func other(_ id: OriginalTransactionID) -> StreamKey {
        StreamKey(kind: self.kind, id: id.rawValue, environment: self.environment, bundleID: self.bundleID)
    }
}
