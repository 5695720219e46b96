/// A node whose stream is followed.
package struct StreamSource: Hashable, Sendable {
    /// Of its PUB socket, such as `tcp://10.0.0.5:7100`.
    package var endpoint: String
    /// Its public CURVE key, 32 bytes.
    package var serverKey: [UInt8]

    package init(endpoint: String, serverKey: [UInt8]) {
        self.endpoint = endpoint
        self.serverKey = serverKey
    }

    /// Where it answers questions: at the port that its beats name.
    func service(port: UInt16) -> String {
        let host = self.endpoint.lastIndex(of: ":").map { self.endpoint[..<$0] } ?? self.endpoint[...]
        return "\(host):\(port)"
    }
}

/// Tells the sources of one follower apart.
package struct SourceID: Hashable, Sendable {
    let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }
}
