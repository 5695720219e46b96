extension String {
    /// As PostgreSQL's text can hold it, which has no U+0000: what is for people must not keep a row out.
    var withoutNull: String { self.replacing("\u{0}", with: "\u{FFFD}") }
}
