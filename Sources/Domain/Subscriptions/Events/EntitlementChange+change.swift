extension EntitlementChange {
    /// The kind of the event that tells this.
    package var change: Change {
        guard self.current.entitled else { return .entitlementLost }
        return self.previous == nil ? .entitlementGained : .entitlementChanged
    }
}
