import Testing

@Suite struct PlaceholderWireProtocol {
    @Test func runs() { #expect(Bool(true)) }
}
