import EventLog
import Ownership
import ServiceContract
import Shards
import Subscriptions
import Synchronization
package import Waiting

/// Where the subscriptions go on that others supersede: none in most stores, and few in the others. It is read anew all the time, since any
/// node may record one.
package final class SupersededStreams: Sendable {
    struct Successor: Sendable {
        var key: StreamKey
        /// Of the payload that says so.
        var place: FactPlace
    }

    /// As it is asked about: mostly without its bundle.
    private struct Name: Hashable {
        let kind: StreamKind
        let id: String
        let environment: AppStoreEnvironment

        init(_ kind: StreamKind, _ id: String, _ environment: AppStoreEnvironment) {
            self.kind = kind
            self.id = id
            self.environment = environment
        }

        init(_ key: StreamKey) { self.init(key.kind, key.id, key.environment) }
    }

    private struct State {
        /// Of those that are superseded.
        var successors: [Name: [BundleID: [Successor]]] = [:]
        /// Those that supersede them.
        var known: Set<[UInt8]> = []
        /// Of their payloads that say so.
        var places: [StreamKey: FactPlace] = [:]
    }

    private let holdings: HoldingsReader
    /// A commit of this node has recorded one.
    private let recorded: AsyncEvent
    private let state = Mutex(State())
    private let count = Atomic(0)

    package init(_ holdings: HoldingsReader, recorded: AsyncEvent) {
        self.holdings = holdings
        self.recorded = recorded
    }

    var isEmpty: Bool { self.count.load(ordering: .acquiring) == 0 }

    /// Those that go on in place of a stream, the one that was bought last first.
    /// - Parameter bundle: nil for an id that is given without it, and which only one app has.
    func successors(
        of id: String, _ kind: StreamKind, in environment: AppStoreEnvironment, _ bundle: BundleID?
    ) -> [Successor] {
        guard let found = self.state.withLock({ $0.successors[Name(kind, id, environment)] }) else { return [] }
        return bundle.map { found[$0] ?? [] } ?? (found.count == 1 ? found.values.first ?? [] : [])
    }

    /// Of the payload of a stream that names the one that it supersedes; nil for one that supersedes none.
    func place(of key: StreamKey) -> FactPlace? { self.state.withLock { $0.places[key] } }

    // MARK: Reading

    private static let interval = Duration.seconds(1)
    /// A pass that takes longer rests for so many times as long.
    private static let share = 20.0
    private static let page = 256
    /// So often all are read, and not those alone that are new: a stream may come to name another one.
    private static let timeBetweenAll = Duration.seconds(600)

    /// Until it is cancelled.
    package func run() async {
        var lastOfAll: ContinuousClock.Instant?
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                let all = lastOfAll.map { start - $0 > Self.timeBetweenAll } ?? true
                try await self.read(all: all)
                if all { lastOfAll = start }
            } catch {
                // The store is away: it is asked again.
            }
            let rest = (ContinuousClock.now - start) * Self.share
            await self.recorded.wait(atMost: max(Self.interval, rest))
            try? await Task.sleep(until: start + min(rest, .seconds(60)), clock: .continuous)
        }
    }

    /// - Parameter all: those that are known too.
    package func read(all: Bool) async throws {
        let known = all ? [] : self.state.withLock(\.known)
        let keys = try await self.holdings.store.streams(for: [SoughtIdentifier(self.holdings.hashing.superseding)])[0]
            .filter { !known.contains($0) }
        guard all || !keys.isEmpty else { return }
        var next = all ? State() : self.state.withLock { $0 }
        for start in stride(from: 0, to: keys.count, by: Self.page) {
            let page = Array(keys[start..<min(start + Self.page, keys.count)])
            for state in try await self.states(page) {
                guard let predecessor = state.predecessor, let place = state.leads.predecessor?.place else { continue }
                next.places[state.key] = place
                next.successors[Name(predecessor), default: [:]][predecessor.bundleID, default: []]
                    .add(Successor(key: state.key, place: place))
            }
            next.known.formUnion(page)
        }
        self.state.withLock { $0 = next }
        self.count.store(next.successors.count, ordering: .releasing)
    }

    /// One that cannot be read hides no other.
    private func states(_ keys: [[UInt8]]) async throws -> [StreamState] {
        do {
            return Array(try await self.holdings.load(Set(keys)).0.streams.values)
        } catch {
            guard ServiceError(error).code == .corrupt else { throw error }
            guard keys.count > 1 else { return [] }
            let middle = keys.count / 2
            return try await self.states(Array(keys[..<middle])) + self.states(Array(keys[middle...]))
        }
    }
}

extension [SupersededStreams.Successor] {
    /// In its place among those that were bought before and after.
    fileprivate mutating func add(_ successor: SupersededStreams.Successor) {
        self.append(successor)
        self.sort { $1.place < $0.place }
    }
}
