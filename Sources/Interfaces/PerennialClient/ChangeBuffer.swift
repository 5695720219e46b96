package import EventLog
import Foundation
package import Mirroring
package import Ownership
import Synchronization
package import WireProtocol

/// Stands between the thread that follows and the one who reads: when it is full the thread waits, and what does not fit
/// into its sockets meanwhile is asked for later.
package final class ChangeBuffer: StreamSink {
    private enum Item {
        case change(UnreadChange, Position)
        case customers([PerennialClient.CustomerKey], Position)
        /// Nothing up to there is to be told.
        case reached(Position)
        case rewound
    }

    private struct State {
        var items: ArraySlice<Item> = []
        /// What has been read.
        var positions: [ShardID: Position] = [:]
        /// nil until one has been heard of.
        var store: StoreStamp?
        var shardCount = 0
        var reader: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private static let limit = 4_096

    private let state = Mutex(State())
    private let space = DispatchSemaphore(value: 0)
    private let customers: @Sendable () -> CustomerMirror?

    /// - Parameter customers: knows whose answers a change concerns; nil where nobody has to know.
    package init(customers: @escaping @Sendable () -> CustomerMirror? = { nil }) { self.customers = customers }

    /// - Parameters:
    ///   - origin: of the store that is followed.
    ///   - token: what has been read; nil for nothing. Of another store, all of it is void.
    package func begin(_ origin: StreamOrigin, shardCount: Int, after token: PositionToken?) {
        let store = StoreStamp(origin)
        self.state.withLock { state in
            state.store = store
            state.shardCount = shardCount
            guard let token else { return }
            guard token.store == store else { return state.items.append(.rewound) }
            for number in 0..<shardCount {
                let shard = ShardID(rawValue: UInt16(number))
                state.positions[shard] = StreamPosition.start.position(in: shard)
            }
            for position in token.positions { state.positions[position.shard] = position }
        }
    }

    /// nil while some shard has not been heard of.
    package var position: PerennialClient.ChangePosition? {
        self.state.withLock { state in
            guard let store = state.store, state.positions.count == state.shardCount else { return nil }
            return PerennialClient.ChangePosition(
                rawValue: PositionToken(store: store, positions: Array(state.positions.values)).text)
        }
    }

    /// Nothing more is read.
    func close() {
        let reader = self.state.withLock { state in
            state.isClosed = true
            state.items = []
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
        self.space.signal()
    }

    // MARK: On the thread that follows

    /// At once, and not when what came before has been read: a place whose log did not go back is good in the restored store,
    /// and any other is noticed by its tag.
    package func setOrigin(_ origin: StreamOrigin) { self.state.withLock { $0.store = StoreStamp(origin) } }

    package func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {}

    package func advance(_ image: SubscriptionImage, to position: Position) throws(MirrorError) {
        let customers = self.customers()?.concerned(by: image, in: position.shard) ?? []
        let keys = customers.map { PerennialClient.CustomerKey(hash: $0) }
        if let change = try UnreadChange(image, of: keys) {
            self.put(.change(change, position))
        } else {
            self.put(keys.isEmpty ? .reached(position) : .customers(keys, position))
        }
    }

    package func setPosition(_ position: Position) { self.put(.reached(position)) }
    package func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {}
    package func beginRestart(of shard: ShardID) { self.put(.rewound) }
    package func endRestart(of shard: ShardID) {}

    private func put(_ item: Item) {
        let (reader, isFull) = self.state.withLock { state in
            guard !state.isClosed else { return (nil as CheckedContinuation<Void, Never>?, false) }
            // Nobody has to read where it begins.
            if case .reached(let position) = item, state.positions[position.shard] == nil {
                state.positions[position.shard] = position
                return (nil, false)
            }
            state.items.append(item)
            defer { state.reader = nil }
            return (state.reader, state.items.count >= Self.limit)
        }
        reader?.resume()
        if isFull { self.space.wait() }
    }

    // MARK: Whoever reads

    /// nil at the end.
    package func next() async -> PerennialClient.ChangeEvent? {
        while true {
            let (item, isClosed, hasSpace) = self.state.withLock { state in
                let item = state.items.popFirst()
                if let item { Self.note(item, in: &state) }
                return (item, state.isClosed, state.items.count == Self.limit - 1)
            }
            if hasSpace { self.space.signal() }
            if let event = item.flatMap(Self.event) { return event }
            guard item == nil else { continue }
            guard !isClosed, !Task.isCancelled else { return nil }
            await self.wait()
        }
    }

    private static func note(_ item: Item, in state: inout State) {
        switch item {
        case .change(_, let position), .customers(_, let position), .reached(let position):
            state.positions[position.shard] = position
        case .rewound: break
        }
    }

    private static func event(_ item: Item) -> PerennialClient.ChangeEvent? {
        switch item {
        case .change(let unread, _): .change(unread.change)
        case .customers(let keys, _): .customers(keys)
        case .reached: nil
        case .rewound: .rewound
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let isOver = self.state.withLock { state in
                    guard state.items.isEmpty, !state.isClosed else { return true }
                    // What one of two has read, the other would count as read.
                    precondition(state.reader == nil, "changes are read by two tasks at a time")
                    state.reader = reader
                    return false
                }
                if isOver { reader.resume() }
            }
        } onCancel: {
            self.close()
        }
    }
}
