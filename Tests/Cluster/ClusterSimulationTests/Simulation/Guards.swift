/// The rules that keep a cluster right, each of which a test may take away to see that the checks notice.
struct Guards: Hashable, Sendable {
    /// An append needs the shard's epoch.
    var epochFence = true
    /// An append needs the incarnation that claimed the shard: a log that was rewound gives epochs away twice.
    var incarnationFence = true
    /// An append needs the shard's head: a log that was rewound would get a hole.
    var headFence = true
    /// A command whose dedup key is in the log is answered from there.
    var deduplication = true
    /// Only what the store has said to be durable is acknowledged.
    var knownOutcomes = true
    /// An answer leaves only within the lease.
    var readLease = true
    /// Who takes over from a node that may still answer waits until its lease must be over.
    var patience = true
    /// Who refuses connections is deposed only when it has not beaten for longer than who lives.
    var hintsNeedSilence = true
    /// A node is deposed only as it was seen.
    var deposesAsSeen = true
    /// A shard is claimed only as it was seen.
    var claimsAsSeen = true
    /// Only a run that lives claims.
    var claimsAlive = true
    /// A run that was taken for dead, or may have been, does not come back: another one does, which owns nothing.
    var comesBackAsAnother = true
    /// Silence counts only across readings that followed each other closely.
    var unbrokenReadings = true
    /// A shard that is given away is served no more before its row says so.
    var stopsBeforeGiving = true
    /// A shard is given only by the run that owns it, under the epoch that it knows.
    var givesAsOwner = true
    /// A shard is given only to a run that lives.
    var givesToLiving = true
    /// Only a move that the store has said to be made is.
    var knownMoves = true
    /// A notification that is kept for an owner is acknowledged once it is in the inbox.
    var keptBeforeAnswered = true
    /// A row leaves the inbox once what it holds is known to be in the log.
    var removesOnlyStored = true
    /// A row leaves the inbox only under the fence of an append: a log that was rewound may lack what it holds.
    var removalFence = true
    /// An owner goes by what a reading says of its own shards, also if it had known more.
    var believesReadings = true
    /// What an owner remembers is a repetition only if the store has it still.
    var deduplicatesByTheStore = true
    /// A question that comes with a token is answered only from a log that reaches as far.
    var answersAtLeast = true
    /// And only if the run that the token names wrote that place: a log that was rewound may have grown again.
    var tokensNameTheirWriter = true
    /// What comes from the inbox is looked for in the log as everything is.
    var keptDeduplication = true

    /// By name, each with what takes it away.
    static let all: [(name: String, isOn: any WritableKeyPath<Guards, Bool> & Sendable)] = [
        ("epochFence", \.epochFence), ("incarnationFence", \.incarnationFence), ("headFence", \.headFence),
        ("deduplication", \.deduplication), ("knownOutcomes", \.knownOutcomes), ("readLease", \.readLease),
        ("patience", \.patience), ("hintsNeedSilence", \.hintsNeedSilence),
        ("deposesAsSeen", \.deposesAsSeen), ("claimsAsSeen", \.claimsAsSeen), ("claimsAlive", \.claimsAlive),
        ("comesBackAsAnother", \.comesBackAsAnother),
        ("unbrokenReadings", \.unbrokenReadings), ("stopsBeforeGiving", \.stopsBeforeGiving),
        ("givesAsOwner", \.givesAsOwner), ("givesToLiving", \.givesToLiving), ("knownMoves", \.knownMoves),
        ("keptBeforeAnswered", \.keptBeforeAnswered), ("removesOnlyStored", \.removesOnlyStored),
        ("removalFence", \.removalFence), ("believesReadings", \.believesReadings),
        ("keptDeduplication", \.keptDeduplication), ("deduplicatesByTheStore", \.deduplicatesByTheStore),
        ("answersAtLeast", \.answersAtLeast), ("tokensNameTheirWriter", \.tokensNameTheirWriter),
    ]
}
