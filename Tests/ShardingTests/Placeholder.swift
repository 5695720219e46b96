import Testing

@Suite struct PlaceholderSharding {
    @Test func runs() { #expect(Bool(true)) }
}
