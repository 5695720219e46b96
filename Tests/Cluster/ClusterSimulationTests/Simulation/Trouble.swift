/// What a cluster is put through. It is noted where it has an effect, so that none is missing without being missed.
enum Trouble: CaseIterable {
    case kill, stop, pause
    case lostMessage, lateMessage
    /// Of calls between nodes, both ways or one.
    case cut, oneWayCut
    case cutFromStore, storeOutage
    /// Commits that the database has forgotten.
    case lostCommits
    /// A node that lives listens no more, or another one does where a node was.
    case refusal, stranger
}
