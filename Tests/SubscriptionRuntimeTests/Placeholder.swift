import Testing

@Suite struct PlaceholderSubscriptionRuntime {
    @Test func runs() { #expect(Bool(true)) }
}
