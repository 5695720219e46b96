/// A mistake in what was configured about apps and roots; stops the start.
package struct AppStoreConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line for the person who wrote the configuration.
    package let message: String

    package init(_ message: String) { self.message = message }

    package var description: String { self.message }
}
