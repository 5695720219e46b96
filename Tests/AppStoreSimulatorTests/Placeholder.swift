import Testing

@Suite struct PlaceholderAppStoreSimulator {
    @Test func runs() { #expect(Bool(true)) }
}
