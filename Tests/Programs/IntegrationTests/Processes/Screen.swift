/// What a terminal shows, as far as our programs go: lines, the way back to the first column and up, and erasing what follows.
struct Screen {
    /// Without trailing blanks.
    private(set) var lines: [String] = [""]
    /// How texts begin that went beyond the width.
    private(set) var broken: Set<String> = []
    private var row = 0
    /// Where the text began that the cursor is in.
    private var beginning = 0
    private var column = 0

    init(columns: Int, showing text: String) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\r\n", "\n":
                self.newLine()
                self.beginning = self.row
            case "\r":
                self.column = 0
                self.beginning = self.row
            case "\u{1B}": self.control(&rest)
            default:
                if self.column == columns {
                    self.broken.insert(self.lines[self.beginning])
                    self.newLine()
                }
                self.put(character)
            }
        }
    }

    private mutating func newLine() {
        self.row += 1
        self.column = 0
        if self.row == self.lines.count { self.lines.append("") }
    }

    private mutating func put(_ character: Character) {
        var line = Array(self.lines[self.row])
        while line.count <= self.column { line.append(" ") }
        line[self.column] = character
        self.lines[self.row] = String(line)
        self.column += 1
    }

    private mutating func control(_ rest: inout Substring) {
        guard let sequence = rest.prefixMatch(of: #/\[(\d*)([AJ])/#) else {
            preconditionFailure("a sequence that is not known here: \(rest.prefix(8))")
        }
        rest = rest[sequence.range.upperBound...]
        if sequence.output.2 == "A" {
            self.row = max(0, self.row - (Int(sequence.output.1) ?? 1))
            self.beginning = self.row
        } else {
            self.lines.removeSubrange((self.row + 1)...)
            self.lines[self.row] = String(self.lines[self.row].prefix(self.column))
        }
    }
}
