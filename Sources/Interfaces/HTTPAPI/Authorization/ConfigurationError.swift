/// A setting with which the server refuses to start: one line that says which, and what is wrong.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
