import Testing

@Suite struct PlaceholderIntegration {
    @Test func runs() { #expect(Bool(true)) }
}
