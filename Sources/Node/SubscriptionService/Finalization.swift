package import EventLog

/// What became of a wish to raise the store's feature level.
package struct Finalization: Hashable, Sendable {
    /// Of the store, now.
    package var featureLevel: FeatureLevel
    /// false when it was there already.
    package var isRaised: Bool

    package init(featureLevel: FeatureLevel, isRaised: Bool) {
        self.featureLevel = featureLevel
        self.isRaised = isRaised
    }
}
