extension String {
    /// The same in lines that are no longer than a width, as far as words allow. Further ones are indented like the last column,
    /// which begins after two spaces.
    package func wrapped(to width: Int) -> String {
        let column = self.ranges(of: #/ {2,}/#).last.map { self[..<$0.upperBound].count } ?? 0
        let indentation = String(repeating: " ", count: column * 3 < width * 2 ? column : 0)
        var lines: [Substring] = []
        var rest = self[...]
        while rest.count > width - (lines.isEmpty ? 0 : indentation.count) {
            let room = width - (lines.isEmpty ? 0 : indentation.count)
            let text = rest.drop { $0 == " " }
            let fitting = rest.prefix(room + 1).lastIndex(of: " ").flatMap { $0 > text.startIndex ? $0 : nil }
            // A word that is too long goes beyond.
            guard let end = fitting ?? text.firstIndex(of: " ") else { break }
            lines.append(rest[..<end])
            rest = rest[end...].drop { $0 == " " }
        }
        return (lines + [rest]).joined(separator: "\n" + indentation)
    }

    /// Whole fields, which end at bars and commas, in as many lines as a terminal has for them. What does not fit is left out
    /// from the right.
    package func fields(width: Int, lines count: Int = 2) -> [String] {
        var lines = [""]
        for field in self.separatedFields {
            let last = lines[lines.count - 1]
            let longer = last.isEmpty ? field : "\(last) \(field)"
            if longer.withoutSeparator.count <= width {
                lines[lines.count - 1] = longer
            } else if lines.count < count, field.withoutSeparator.count <= width {
                lines.append(field)
            } else {
                break
            }
        }
        return lines.map(\.withoutSeparator)
    }

    /// Each with the bar or comma at its end.
    private var separatedFields: [String] {
        var fields = [""]
        for word in self.split(separator: " ") {
            fields[fields.count - 1] += (fields[fields.count - 1].isEmpty ? "" : " ") + word
            if word == "|" || word.hasSuffix(",") { fields.append("") }
        }
        return fields.filter { !$0.isEmpty }
    }

    private var withoutSeparator: String {
        self.hasSuffix(" |") ? String(self.dropLast(2)) : self.hasSuffix(",") ? String(self.dropLast()) : self
    }
}
