/// What a publisher notes of a customer under a name of its own: never what leads to a person.
package enum AttributeValue: Hashable, Sendable {
    case text(String)
    /// Finite.
    case number(Double)
    case boolean(Bool)

    /// How much of a customer's bound it takes, in bytes.
    package var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .number: 8
        case .boolean: 1
        }
    }
}
