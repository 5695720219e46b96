import Testing

@Suite struct PlaceholderAppStore {
    @Test func runs() { #expect(Bool(true)) }
}
