/// How large a simulated cluster is, and for how long it is disturbed.
struct SimulationConfiguration: Sendable {
    var nodes = 3
    var shards = 4
    var length = Duration.seconds(8)
    /// nil: of 3 s, in one cluster of four twice as long, so that more happens between a node's silence and its end.
    var lease: Duration?
}
