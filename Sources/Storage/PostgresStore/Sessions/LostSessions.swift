import EventLog
import Synchronization

/// Which shards have to be claimed before they are appended to again.
///
/// A session that is new may be one with another server, to which the last commits never came. So after a session for
/// writing was lost, each shard is read again first, which is what a claim does: until then its appends are refused.
/// How often a session was lost, or made anew after that, is a number, and so is, for each shard, what that number was
/// when it was last claimed.
final class LostSessions: Sendable {
    private struct State {
        var losses = 0
        var claims: [ShardID: Int] = [:]
    }

    private let state = Mutex(State())

    var count: Int { self.state.withLock { $0.losses } }

    func record() { self.state.withLock { $0.losses += 1 } }

    /// - Parameter losses: how many there were before the claim was sent.
    func recordClaim(of shards: some Sequence<ShardID>, after losses: Int) {
        self.state.withLock { state in
            for shard in shards { state.claims[shard] = losses }
        }
    }

    /// Of each of these shards the store's rows were read after the last of that.
    func areKnown(_ shards: some Sequence<ShardID>) -> Bool {
        self.state.withLock { state in
            state.losses == 0 || shards.allSatisfy { state.claims[$0, default: 0] == state.losses }
        }
    }
}
