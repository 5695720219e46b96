import Subscriptions

/// Facts leave out what equals the key of their stream.
extension StreamKey {
    func identifier(unlessEqual id: OriginalTransactionID) -> ProtoIdentifier? {
        id.rawValue.hasSameBytes(as: self.id) ? nil : ProtoIdentifier(id.rawValue)
    }

    func environmentFields(unlessEqual environment: AppStoreEnvironment) -> (ProtoEnvironment, String) {
        let isEqual = environment.rawValue.hasSameBytes(as: self.environment.rawValue)
        return ProtoEnvironment.fields(for: isEqual ? nil : environment.rawValue)
    }
}
