import Subscriptions
import Synchronization

/// What the publisher's backend has asked for, and what came of it: for all to read while more is being asked.
package final class BackendLog: Sendable {
    package enum State: Hashable, Sendable {
        case waiting
        case done
        case refused(status: Int, code: String?)
    }

    package struct Entry: Hashable, Sendable {
        package let request: BackendRequest
        package let state: State
    }

    private struct Contents {
        var entries: [Entry] = []
        /// All before it are settled: requests are made one after the other.
        var settled = 0
        /// How many were made before.
        var recalled = 0
        var isReachable = true
    }

    private let contents = Mutex(Contents())

    /// In the order of their numbers.
    func enter(_ request: BackendRequest) {
        self.contents.withLock { contents in
            guard request.number < contents.recalled else {
                return contents.entries.append(Entry(request: request, state: .waiting))
            }
            let refusal = State.refused(status: 409, code: "linkedElsewhere")
            contents.entries.append(Entry(request: request, state: request.isToBeRefused ? refusal : .done))
            contents.settled += 1
        }
    }

    /// The one that is to be made now; nil when all have been made.
    var nextWaiting: BackendRequest? {
        self.contents.withLock { $0.settled < $0.entries.count ? $0.entries[$0.settled].request : nil }
    }

    /// How many have been made, also of those that have not been entered again.
    var made: Int { self.contents.withLock { max($0.settled, $0.recalled) } }

    /// Something is to be asked, and the node answers: until then nothing may happen that comes after it.
    var isHoldingUp: Bool { self.contents.withLock { $0.settled < $0.entries.count && $0.isReachable } }

    func set(isReachable: Bool) { self.contents.withLock { $0.isReachable = isReachable } }

    /// What came of the next one.
    func settle(_ state: State) {
        self.contents.withLock { contents in
            contents.entries[contents.settled] = Entry(
                request: contents.entries[contents.settled].request, state: state)
            contents.settled += 1
        }
    }

    /// The first ones were made before the simulation last stopped. Has to come before any of them is entered.
    func recall(_ count: Int) { self.contents.withLock { $0.recalled = count } }

    /// - Parameter number: nil for the first ones.
    package func entries(after number: Int?, limit: Int) -> (entries: [Entry], isLast: Bool) {
        self.contents.withLock { contents in
            let rest = contents.entries[min(contents.entries.count, number.map { $0 + 1 } ?? 0)...]
            return (Array(rest.prefix(limit)), rest.count <= limit)
        }
    }

    /// What was due by then, is not made, and has a say in what a customer has.
    func waiting(for customer: String, _ streams: some Sequence<String>, by moment: Moment) -> [BackendRequest] {
        let waiting = self.contents.withLock { Array($0.entries[$0.settled...]) }
        return waiting.map(\.request).filter { $0.due <= moment && $0.concerns(customer, streams) }
    }
}
