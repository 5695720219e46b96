import Testing
import ZeroMQ

@Suite struct CurveKeyPairTests {
    @Test func aSecretKeyHasOnePublicKey() throws {
        // given
        let keys = try CurveKeyPair()
        // when, then
        #expect(keys.publicKey.count == 32 && keys.secretKey.count == 32)
        #expect(try CurveKeyPair(secretKey: keys.secretKey).publicKey == keys.publicKey)
        #expect(try CurveKeyPair().secretKey != keys.secretKey)
    }

    @Test(arguments: [0, 1, 28, 31, 33, 36, 64])
    func refusesKeysOfAnotherSize(count: Int) {
        #expect(throws: ZeroMQError.self) { try CurveKeyPair(secretKey: [UInt8](repeating: 1, count: count)) }
    }

    /// The example of the ZeroMQ reference (zmq_curve).
    @Test func derivesWhatLibzmqDoes() throws {
        let secret = try #require(Z85.bytes(of: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"))
        let keys = try CurveKeyPair(secretKey: secret)
        #expect(Z85.text(of: keys.publicKey) == "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7")
    }
}
