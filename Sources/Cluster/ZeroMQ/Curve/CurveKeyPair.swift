import CZeroMQ

/// A Curve25519 key pair for CURVE (ZeroMQ RFC 26).
package struct CurveKeyPair: Sendable {
    /// 32 bytes, for everybody.
    package let publicKey: [UInt8]
    /// 32 bytes, for nobody.
    package let secretKey: [UInt8]

    /// A new one.
    package init() throws(ZeroMQError) {
        let secret = try Self.keypair()
        try self.init(secretKey: secret)
    }

    /// - Throws: when `secretKey` has not 32 bytes.
    package init(secretKey: [UInt8]) throws(ZeroMQError) {
        guard let text = Z85.text(of: secretKey), secretKey.count == 32 else {
            throw ZeroMQError(number: 0, message: "a secret CURVE key has 32 bytes")
        }
        var publicText = [CChar](repeating: 0, count: Z85.keyLength + 1)
        guard unsafe zmq_curve_public(&publicText, text) == 0,
            let publicKey = Z85.bytes(of: Z85.text(publicText))
        else { throw .last("zmq_curve_public") }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    private static func keypair() throws(ZeroMQError) -> [UInt8] {
        var publicText = [CChar](repeating: 0, count: Z85.keyLength + 1)
        var secretText = [CChar](repeating: 0, count: Z85.keyLength + 1)
        guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0,
            let secret = Z85.bytes(of: Z85.text(secretText))
        else { throw .last("zmq_curve_keypair") }
        return secret
    }
}

extension Socket {
    /// Takes peers that hold a key which the ZAP handler of this context knows, in this domain.
    package func serveCurve(_ keys: CurveKeyPair, domain: String) throws(ZeroMQError) {
        try self.set(ZMQ_ZAP_DOMAIN, to: Array(domain.utf8))
        var one: Int32 = 1
        guard unsafe zmq_setsockopt(self.handle, ZMQ_CURVE_SERVER, &one, MemoryLayout<Int32>.size) == 0 else {
            throw .last("zmq_setsockopt ZMQ_CURVE_SERVER")
        }
        try self.set(ZMQ_CURVE_SECRETKEY, to: keys.secretKey)
    }

    /// Speaks to whoever holds the secret of `server` alone.
    package func useCurve(_ keys: CurveKeyPair, server: [UInt8]) throws(ZeroMQError) {
        try self.set(ZMQ_CURVE_SERVERKEY, to: server)
        try self.set(ZMQ_CURVE_PUBLICKEY, to: keys.publicKey)
        try self.set(ZMQ_CURVE_SECRETKEY, to: keys.secretKey)
    }
}
