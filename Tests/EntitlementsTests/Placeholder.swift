import Testing

@Suite struct PlaceholderEntitlements {
    @Test func runs() { #expect(Bool(true)) }
}
