import EventLog
import Mirroring
import Ownership
import WireProtocol
import ZeroMQ

extension PerennialClient {
    /// What happens to subscriptions and purchases, over a connection of its own; told while ``run()`` runs.
    /// - Parameter position: whose changes have been read already; nil for those from now on. When the store does not know it
    ///   any more, `.rewound` comes first, and then what happens from now on.
    /// - Throws: ``PerennialClientError`` for a position that is none, or when the system has no sockets left.
    public func changes(after position: ChangePosition? = nil) throws(PerennialClientError) -> Changes {
        let token = try position.map { position throws(PerennialClientError) in
            guard let token = PositionToken(text: position.rawValue) else {
                throw PerennialClientError(.invalidConfiguration, "not a position of changes")
            }
            return token
        }
        let buffer = ChangeBuffer { [mirror] in mirror.memory?.customers }
        let withCustomers = self.configuration.followsCustomers
        let follower = try PerennialClientError.translating { () throws(ZeroMQError) in
            try Follower(
                self.sources, keys: self.keys, withCustomers: withCustomers, logger: self.configuration.logger
            ) { origin in
                token.map { $0.store == StoreStamp(origin) ? .after($0.positions) : .now } ?? .now
            } sink: { origin, shardCount in
                buffer.begin(origin, shardCount: shardCount, after: token)
                return buffer
            }
        }
        let reading = ChangeReading(buffer, follower)
        self.begin(follower, buffer)
        return Changes(reading: reading)
    }
}
