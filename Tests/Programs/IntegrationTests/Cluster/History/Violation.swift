/// A promise that was not kept.
enum Violation: Hashable, Sendable {
    case missing(notification: String, node: String)
    case repeated(notification: String, node: String)
    case neverSent(notification: String, node: String)
    case versions(stream: String, node: String)
    case sequences(shard: Int)
    case olderEpoch(shard: Int, sequence: Int)
    case lateAppend(shard: Int, sequence: Int)
    case epochBeyondOwner(shard: Int)
    case repeatedKey(shard: Int, key: String)
    case head(shard: Int)
    case olderAnswer(History.OwnerAnswer)
    case parked(key: String)
    case refused(notification: String)
    case takenForDead(node: String)
}

extension Violation: CustomStringConvertible {
    var description: String {
        switch self {
        case .missing(let notification, let node): "\(notification) was acknowledged, and \(node) does not have it"
        case .repeated(let notification, let node): "\(node) has \(notification) more than once"
        case .neverSent(let notification, let node): "\(node) has \(notification), which nobody sent"
        case .versions(let stream, let node): "the versions of \(stream) are not 1, 2, 3 … on \(node)"
        case .sequences(let shard): "the events of shard \(shard) are not numbered 1, 2, 3 …"
        case .olderEpoch(let shard, let sequence):
            "event \(sequence) of shard \(shard) is of an older epoch than the last"
        case .lateAppend(let shard, let sequence):
            "event \(sequence) of shard \(shard) was appended by an owner after there was a newer one"
        case .epochBeyondOwner(let shard): "shard \(shard) has events of an epoch that it has not reached"
        case .repeatedKey(let shard, let key): "shard \(shard) has the key \(key) more than once"
        case .head(let shard): "the head of shard \(shard) is not its newest event"
        case .olderAnswer(let answer):
            "\(answer.node) answered version \(answer.version) of \(answer.subscription) after \(answer.atLeast) was known"
        case .parked(let key): "\(key) was kept for its owner, who could not apply it"
        case .refused(let notification): "no node takes \(notification)"
        case .takenForDead(let node): "\(node) was taken for dead, and was not"
        }
    }
}
