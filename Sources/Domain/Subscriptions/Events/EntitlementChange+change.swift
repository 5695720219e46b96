extension EntitlementChange {
    /// What an event with this has changed.
    package var change: Change {
        guard self.current.entitled else { return .entitlementLost }
        return self.previous == nil ? .entitlementGained : .entitlementChanged
    }
}
