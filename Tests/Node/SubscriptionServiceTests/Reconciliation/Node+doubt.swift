import AppStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions

extension Node {
    /// One that can ask Apple, and subscription 1, whose renewal is never told.
    static func awaiting(_ apple: ScriptedApple) throws -> (Node, TestSubscription, first: [UInt8]) {
        var node = try Node()
        node.configuration.serverAPI = [try apple.client()]
        node.configuration.sweepPause = .seconds(3_600)
        var life = TestSubscription(id: "1", from: Self.start - .days(1))
        let first = try node.apple.sign(life.subscribe())
        return (node, life, first)
    }

    /// The paid period of subscription 1 is over, and so is the time before Apple is asked.
    func pass(the end: Moment, _ service: SubscriptionService) async throws {
        self.clock.advance(to: end)
        let stream = StreamReference(id: "1")
        await eventually { (try? await service.history(stream).last?.event.kind) == .awaitingRenewal }
        self.clock.advance(to: end + .seconds(20))
    }
}
