import ArgumentParser

/// An attribute as it is typed.
package struct AttributeArgument: ExpressibleByArgument {
    package enum Value: Equatable {
        case removed
        case boolean(Bool)
        case number(Double)
        case text(String)
    }

    package let name: String
    package let value: Value

    /// nil for what is not NAME=VALUE.
    package init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        self.name = String(argument[..<sign])
        let text = String(argument[argument.index(after: sign)...])
        self.value =
            switch text {
            case "": .removed
            case "true": .boolean(true)
            case "false": .boolean(false)
            default:
                if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
                    .text(String(text.dropFirst().dropLast()))
                } else if let number = Double(text), number.isFinite,
                    Self.isWritten(text, number)
                {
                    .number(number)
                } else {
                    .text(text)
                }
            }
    }

    /// Only what comes back as it was typed is a number: `1.10` is a version, and a long id would lose digits.
    private static func isWritten(_ text: String, _ number: Double) -> Bool {
        Int64(exactly: number).map(String.init) == text || number.description == text
    }
}
