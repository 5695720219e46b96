/// What may stand at a place of a configuration. Derived from the structs themselves, so that each key is written once.
package indirect enum ConfigurationSchema {
    case scalar(any ConfigurationScalar.Type)
    case list(ConfigurationSchema)
    /// Keys of the user's choice.
    case map(ConfigurationSchema)
    case section(any ConfigurationSection.Type)
}

/// A type that can be the value of a key.
package protocol ConfigurationValue: Codable, Sendable {
    static var schema: ConfigurationSchema { get }
}

/// A value without parts.
package protocol ConfigurationScalar: ConfigurationValue {
    /// What is expected, for a message: "a whole number".
    static var expectation: String { get }
}

/// A group of keys with their defaults: the stored properties of the struct.
package protocol ConfigurationSection: ConfigurationValue {
    init()
}

extension ConfigurationScalar {
    package static var schema: ConfigurationSchema { .scalar(Self.self) }
}

extension ConfigurationSection {
    package static var schema: ConfigurationSchema { .section(Self.self) }

    /// The keys and what may stand there, in the order of the struct.
    package static var keys: [(name: String, schema: ConfigurationSchema)] {
        Mirror(reflecting: Self()).children.map { child in
            guard let name = child.label, let type = type(of: child.value) as? any ConfigurationValue.Type else {
                preconditionFailure("every property of a section is a key")
            }
            return (name, type.schema)
        }
    }
}

extension String: ConfigurationScalar {
    package static let expectation = "text"
}

extension Int: ConfigurationScalar {
    package static let expectation = "a whole number"
}

extension Bool: ConfigurationScalar {
    package static let expectation = "true or false"
}

extension Optional: ConfigurationValue where Wrapped: ConfigurationValue {
    package static var schema: ConfigurationSchema { Wrapped.schema }
}

extension Array: ConfigurationValue where Element: ConfigurationValue {
    package static var schema: ConfigurationSchema { .list(Element.schema) }
}

extension Dictionary: ConfigurationValue where Key == String, Value: ConfigurationValue {
    package static var schema: ConfigurationSchema { .map(Value.schema) }
}
