/// One of the two nodes.
enum Member: Int8, CaseIterable, Hashable, Sendable {
    case first, second

    var other: Self { self == .first ? .second : .first }
}

/// One of something for each node.
struct Pair<Value: Hashable>: Hashable {
    private var first: Value
    private var second: Value

    init(_ value: (Member) -> Value) {
        self.first = value(.first)
        self.second = value(.second)
    }

    subscript(member: Member) -> Value {
        get { member == .first ? self.first : self.second }
        set { if member == .first { self.first = newValue } else { self.second = newValue } }
    }
}

extension Pair: Sendable where Value: Sendable {}

/// A value that many states share, hashed once.
final class Shared<Value: Hashable>: Hashable {
    let value: Value
    private let hash: Int

    init(_ value: Value) {
        self.value = value
        self.hash = value.hashValue
    }

    static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.hash == right.hash && left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }
}

/// The smallest things that can happen. A node that stops is one whose steps do not happen.
struct ModelStep: CustomStringConvertible {
    enum Action: String, CaseIterable {
        case clockTicks = "the clock ticks"
        case sendsBeat = "sends a beat"
        case beatIsExecuted = "its beat is executed"
        case hearsOfBeat = "hears of its beat"
        case losesAnswer = "does not hear of its beat"
        case reads = "its reading is executed"
        case hears = "hears what was read"
        case hearsAndSuspects = "hears what was read, and that the other refuses connections"
        case deposes = "its deposing is executed"
        case claims = "its claim is executed"
        case sendsAppend = "sends an append"
        case appendIsExecuted = "its append is executed"
        case acknowledgesWrite = "acknowledges the write"
        case beginsRead = "computes an answer"
        case answers = "answers, if it still may"
        case restarts = "restarts as another run"
    }

    var member: Member
    var action: Action

    static let all = Member.allCases.flatMap { member in
        Action.allCases.map { ModelStep(member: member, action: $0) }
    }

    var description: String { "\(self.member): \(self.action.rawValue)" }
}
