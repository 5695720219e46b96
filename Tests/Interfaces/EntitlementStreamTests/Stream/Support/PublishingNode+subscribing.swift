import EntitlementStream
import PerennialTestSupport
import ZeroMQ

extension PublishingNode {
    func subscribe(to node: Running, keys: CurveKeyPair? = nil, receiveLimit: Int32 = 100_000) -> Subscriber {
        Subscriber(
            endpoint: node.endpoints.stream, serverKey: self.stream.keys.publicKey, keys: keys ?? self.subscriber,
            receiveLimit: receiveLimit)
    }

    func questioner(of node: Running, keys: CurveKeyPair? = nil) -> Questioner {
        Questioner(
            endpoint: node.endpoints.service, serverKey: self.stream.keys.publicKey, keys: keys ?? self.subscriber)
    }
}
