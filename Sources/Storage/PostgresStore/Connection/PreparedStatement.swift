/// A statement that each session prepares when it first needs it. Values go there and come back in binary.
struct PreparedStatement: Sendable {
    /// Unique in a session.
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}
