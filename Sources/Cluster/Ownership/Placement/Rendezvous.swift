import EventLog

/// Highest random weight (Thaler and Ravishankar, 1998): each shard ranks all nodes, the same everywhere, and a node that
/// comes or goes changes nobody else's rank.
enum Rendezvous {
    static func weight(of node: NodeID, for shard: ShardID) -> UInt64 {
        // FNV-1a over the name, then the finalizer of SplitMix64, since names differ in their last bits.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in node.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        hash &+= (UInt64(shard.rawValue) &+ 1) &* 0x9e37_79b9_7f4a_7c15
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }
}
