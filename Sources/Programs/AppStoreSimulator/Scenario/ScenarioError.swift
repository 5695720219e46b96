/// A mistake in a scenario, as one readable line: where it stands and what is wrong.
package struct ScenarioError: Error, Hashable, CustomStringConvertible {
    package let file: String
    /// From 1; nil for what concerns the file as a whole.
    package let line: Int?
    /// From 1.
    package let column: Int?
    package let message: String

    package init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `life.yaml:7:11: unknown act "cancle"; did you mean "cancel"?`
    package var description: String {
        ([self.file] + [self.line, self.column].compactMap { $0.map(String.init) }).joined(separator: ":")
            + ": \(self.message)"
    }
}
