import Testing

@Suite struct PlaceholderSubscriptions {
    @Test func runs() { #expect(Bool(true)) }
}
