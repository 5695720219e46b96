import Testing

@Suite struct PlaceholderSQLiteStore {
    @Test func runs() { #expect(Bool(true)) }
}
