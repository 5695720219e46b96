import Testing

@Suite struct PlaceholderJSONScanning {
    @Test func runs() { #expect(Bool(true)) }
}
