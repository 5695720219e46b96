/// What a store could not do.
package struct StoreError: Error, Sendable {
    package enum Code: Sendable {
        /// A key that has to be unique was there already: the batch as built cannot be stored.
        case conflict
        /// The writer does not own the shard any more, or another process has begun as its node.
        case fenced
        /// Others have taken the run for dead. It owns nothing any more; another run of its node may begin.
        case deposed
        /// The log is shorter than it was: a restored backup or a failover that lost commits.
        case rewound
        /// The connection or the disk failed during a commit: it may have happened or not.
        case outcomeUnknown
        /// Not now; nothing was stored.
        case unavailable
        /// No space left, or a bound reached; nothing was stored.
        case full
        /// What was read is not what was written.
        case corrupt
        /// The store is not one this binary or configuration may open.
        case incompatible
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?
    package let location: String

    package init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.location = "\(file):\(line)"
    }
}
