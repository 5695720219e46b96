extension String {
    /// The same text on one line, with control characters and those that turn the direction of writing as JSON escapes them: text
    /// that comes from outside moves no cursor, colours nothing and does not look like other text. JSON stays what it is.
    package var escapingControls: String { self.escaping { $0.isHidden } }

    /// The same for text of several lines.
    package var escapingControlsInLines: String { self.escaping { $0.isHidden && $0 != "\n" && $0 != "\t" } }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard self.unicodeScalars.contains(where: isEscaped) else { return self }
        var text = ""
        for scalar in self.unicodeScalars {
            if isEscaped(scalar) { text += scalar.asEscape } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isHidden: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: self.properties.isBidiControl
        }
    }

    /// All that are hidden have at most four digits.
    fileprivate var asEscape: String {
        switch self {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(self.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}
