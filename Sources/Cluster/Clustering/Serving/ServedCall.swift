import WireProtocol

/// A call from another node, on its way through this one.
struct ServedCall: Sendable {
    struct ID: Hashable, Sendable {
        let route: ReplyRoute
        let call: UInt64
    }

    let route: ReplyRoute
    let call: RemoteCall
    let target: CallContract.Target
    let arrival: ContinuousClock.Instant
    /// With whose replies its own leaves; nil for by itself.
    let group: ReplyGroup?

    var id: ID { ID(route: self.route, call: self.call.id) }

    /// After it nobody listens to the answer any more.
    var deadline: ContinuousClock.Instant { self.arrival + .milliseconds(self.call.remaining) }

    var size: Int { self.call.arguments.reduce(64) { $0 + $1.count } }
}
