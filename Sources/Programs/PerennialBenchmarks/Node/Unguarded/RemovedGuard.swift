import ArgumentParser

/// A rule that the node goes without, for tests to see that they notice.
enum RemovedGuard: String, CaseIterable, ExpressibleByArgument {
    /// An append needs the epoch, the incarnation and the head that the shard's row says.
    case fence
    /// An answer leaves only within the lease.
    case lease
    /// What has come before is recognized by its dedup key, and refused by the database otherwise.
    case deduplication
    /// A shard whose last commit has an unknown outcome is taken anew, not gone on with as if nothing had been stored.
    case retake
    /// A commit whose outcome is unknown is not acknowledged.
    case outcome
    /// An answer is not older than the token that came with its question.
    case tokens
    /// Signs of life have threads of their own, and wait for nobody.
    case threads
}
