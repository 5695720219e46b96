package import Entitlements

extension CohortCode {
    /// Granted from elsewhere.
    package static let granted = CohortCode(state: 2, offer: 0)
}
