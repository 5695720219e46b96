package import EventLog

/// What a node has to do about ownership after a reading of the store. It is made anew from every reading, so whatever
/// did not work is simply there again.
package struct OwnershipPlan: Hashable, Sendable {
    /// Nodes whose lease is over. Who deposes one names what it saw, and fails if the node has beaten since.
    package var silent: [NodeStatus] = []
    /// The same of nodes whose lease may not be over, but whose processes are gone as it seems.
    package var gone: [NodeStatus] = []
    /// Shards that nobody living owns, as they were seen.
    package var claims: [ShardRecord] = []
    /// From then on, by this node's clock, nobody who was taken for dead answers for anything any more: reads of what is
    /// claimed have to wait for it, and so have writes that reads must show.
    package var exclusiveFrom = Duration.zero
    /// Shards of this node that others are to serve.
    package var transfers: [Placement.Move] = []

    /// - Parameters:
    ///   - me: this run; unless the view shows it living, there is nothing that it may do.
    ///   - watch: has seen the view.
    ///   - transfersAtATime: so few that a change of plan costs little.
    package init(
        _ view: ClusterView, by me: ShardRecord.Owner, watch: PeerWatch, at now: Duration, transfersAtATime: Int
    ) {
        let ends = view.nodes.filter { $0.life == .deposed }.compactMap { watch.end(of: $0.id) }
        self.exclusiveFrom = ends.max() ?? .zero
        let living = view.living
        guard living.contains(me) else { return }
        let others = view.nodes.filter { $0.life == .live && $0.owner != me }
        self.silent = others.filter { watch.isSilent($0.id, at: now) }
        self.gone = others.filter { !watch.isSilent($0.id, at: now) && watch.isGone($0.id) }
        let taking = Set(living.map(\.node)).subtracting((self.silent + self.gone).map(\.id))
        let owners = view.shards.map { ($0.shard, $0.owner.flatMap { living.contains($0) ? $0.node : nil }) }
        let placement = Placement(
            owners: Dictionary(uniqueKeysWithValues: owners), living: taking,
            steady: taking.filter { watch.isSteady($0, at: now) })
        self.claims = view.shards.filter { placement.taken[$0.shard] == me.node }
        // What the silent own will be there to be taken by whoever holds too little now.
        guard self.silent.isEmpty else { return }
        self.transfers = Array(placement.moves.lazy.filter { $0.from == me.node }.prefix(transfersAtATime))
    }
}
