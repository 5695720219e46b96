package import EventLog

/// Where following a store begins.
package enum FollowingStart: Sendable {
    /// With all that there is: a copy of each shard, and what comes then.
    case everything
    /// With what comes from now on. A log that turns out to be another is gone on with where it is.
    case now
    /// With what comes after these places, each of another shard; after the first event of all others.
    case after([Position])
}
