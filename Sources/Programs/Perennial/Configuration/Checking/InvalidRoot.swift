import AppStore
package import Subscriptions

/// A root certificate of an app that is not valid at some moment: what Apple signs then is refused under it.
package struct InvalidRoot: Hashable, Sendable {
    package let app: BundleID
    /// Whom the certificate names.
    package let name: String
    package let period: ClosedRange<Moment>
    /// The app has no other root that is valid: all that is signed then is refused.
    package let leavesNone: Bool

    /// For people.
    package var sentence: String {
        let consequence =
            self.leavesNone
            ? "all notifications that are signed now are refused" : "nothing that is signed now is verified under it"
        return "\(self.app.rawValue): the root certificate \(self.name) is valid from \(self.period.lowerBound) to "
            + "\(self.period.upperBound) alone; \(consequence)"
    }
}

extension CheckedConfiguration {
    /// In the order of the apps.
    package func invalidRoots(at moment: Moment) -> [InvalidRoot] {
        self.apps.flatMap { app in
            let invalid = app.roots.filter { !$0.period.contains(moment) }
            return invalid.sorted { $0.name < $1.name }.map { root in
                InvalidRoot(
                    app: app.bundleID, name: root.name, period: root.period,
                    leavesNone: invalid.count == app.roots.count)
            }
        }
    }
}
