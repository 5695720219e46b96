import EventLog

extension StoreTable {
    /// Adds the rows of one page. All numbers travel as BIGINT; a column that is narrower takes them as its own type.
    var insert: PreparedStatement {
        let types =
            self.numbers.map { _ in "bigint" } + self.texts.map { _ in "text" } + self.blobs.map { _ in "bytea" }
        let values = types.enumerated().map { "$\($0.offset + 1)::\($0.element)[]" }.joined(separator: ", ")
        return PreparedStatement(
            "copy_\(self.name)",
            """
            INSERT INTO \(self.name) (\(self.columns.joined(separator: ", ")))
            \(self.isNumbered ? "OVERRIDING SYSTEM VALUE " : "")SELECT * FROM unnest(\(values))
            """)
    }

    /// Lets the next row have the number after `last`.
    func goOnCounting(after last: Int64) -> String {
        "ALTER TABLE \(self.name) ALTER COLUMN id RESTART WITH \(last + 1)"
    }
}

extension TablePage {
    var parameters: Parameters {
        var parameters = Parameters()
        for column in self.numbers { parameters.add(numbersOrNull: column) }
        for column in self.texts { parameters.add(textsOrNull: column.map { $0?.withoutNull }) }
        for column in self.blobs { parameters.add(blobsOrNull: column) }
        return parameters
    }
}
