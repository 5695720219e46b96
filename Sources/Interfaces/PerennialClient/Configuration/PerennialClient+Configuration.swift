public import Logging
import Mirroring
import ZeroMQ

extension PerennialClient {
    /// Whom a client follows, and as whom.
    public struct Configuration: Sendable {
        /// A node that publishes.
        public struct Node: Hashable, Sendable {
            /// Where its stream is: the address and port of the node's `stream.bind`, such as `10.0.0.5:7100`.
            public var address: String
            /// Its public key, as `perennial keys new` printed it.
            public var publicKey: String

            public init(address: String, publicKey: String) {
                self.address = address
                self.publicKey = publicKey
            }
        }

        /// All nodes of the cluster: each publishes what it owns.
        public var nodes: [Node]
        /// This client's secret key, as `perennial keys new` writes it. Its public part has to be listed under
        /// `stream.subscribers` of every node.
        public var secretKey: String
        /// An answer that may be older says that it is stale.
        public var staleness = Duration.seconds(2)
        /// Also what answers by customer need is copied: some 400 bytes more for each subscription. The answers for up to a million
        /// customers that were asked about are kept beside it.
        public var followsCustomers = false
        /// Where trouble is told.
        public var logger = Logger(label: "perennial-client")

        public init(nodes: [Node], secretKey: String) {
            self.nodes = nodes
            self.secretKey = secretKey
        }
    }
}

extension PerennialClient.Configuration {
    func keys() throws(PerennialClientError) -> CurveKeyPair {
        let text = self.secretKey.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        do throws(ZeroMQError) {
            return try CurveKeyPair(secretKey: Z85.bytes(of: text) ?? [])
        } catch {
            throw PerennialClientError(.invalidConfiguration, "the secret key is none of `perennial keys new`")
        }
    }

    func sources() throws(PerennialClientError) -> Set<StreamSource> {
        guard !self.nodes.isEmpty else {
            throw PerennialClientError(.invalidConfiguration, "there is no node to follow")
        }
        var sources: Set<StreamSource> = []
        for node in self.nodes {
            guard let colon = node.address.lastIndex(of: ":"), colon > node.address.startIndex,
                UInt16(node.address[node.address.index(after: colon)...]) != nil
            else {
                throw PerennialClientError(
                    .invalidConfiguration, "\(node.address): expected an address and a port, such as 10.0.0.5:7100")
            }
            guard let key = Z85.bytes(of: node.publicKey), key.count == 32 else {
                throw PerennialClientError(
                    .invalidConfiguration, "\(node.address): its public key is none of `perennial keys new`")
            }
            sources.insert(StreamSource(endpoint: "tcp://\(node.address)", serverKey: key))
        }
        return sources
    }
}
