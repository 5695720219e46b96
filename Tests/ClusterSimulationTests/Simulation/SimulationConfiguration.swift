/// How large a simulated cluster is, and for how long it is disturbed.
struct SimulationConfiguration: Sendable {
    var nodes = 3
    var shards = 4
    var length = Duration.seconds(8)
    var lease = Duration.seconds(3)
}
