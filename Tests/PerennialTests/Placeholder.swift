import Testing

@Suite struct PlaceholderPerennial {
    @Test func runs() { #expect(Bool(true)) }
}
