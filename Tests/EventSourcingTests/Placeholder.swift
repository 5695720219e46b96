import Testing

@Suite struct PlaceholderEventSourcing {
    @Test func runs() { #expect(Bool(true)) }
}
