/// What a cluster has to live through. Where it is about one node, it is the one that owns the most.
enum Disturbance: Sendable {
    case killedAndRestarted
    case killedAndTakenOver
    case paused
    case stopped
    case cutOffFromPeers
    case cutOffFromDatabase
    case cutOffFromAll
    case databaseRestarted
    case databaseKilled
    case allKilled
    case allStopped
}
