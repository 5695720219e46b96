import HTTPAPI

extension Configuration {
    /// The defaults, with other bounds.
    static func with(_ change: (inout Limits) -> Void) -> Configuration {
        var configuration = Configuration()
        change(&configuration.limits)
        return configuration
    }
}
