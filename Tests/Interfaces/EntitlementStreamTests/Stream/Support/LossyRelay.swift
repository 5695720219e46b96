import EntitlementStream
import PerennialTestSupport
import Synchronization
import Testing
import WireProtocol
import ZeroMQ

/// The way between a node and its subscribers, which loses one in three of the messages of each kind: whole ones, as a
/// socket that is full does, and of so many in a row the same ones every time. It stands at the node's ports on another
/// address of this machine, so that the port that beats name is right there, too.
final class LossyRelay: Sendable {
    enum Kind: UInt64, CaseIterable {
        case delta, beat, question, heads, snapshot, changes, failure

        init(published message: [UInt8]) { self = StreamTopic(message) == .beat ? .beat : .delta }

        init(answer: [UInt8]) {
            self =
                switch (try? StreamAnswer(decoding: answer))?.content {
                case .heads: .heads
                case .snapshot: .snapshot
                case .changes: .changes
                case .failure, .rules, nil: .failure
                }
        }
    }

    private struct Traffic: Sendable {
        var chance: [Kind: SeededGenerator] = [:]
        var lost: [Kind: Int] = [:]
        var count: [Kind: Int] = [:]
    }

    private static let host = "127.0.0.2"

    let node: Publisher.Endpoints
    /// Of the node, and of the only subscriber.
    let keys: (node: CurveKeyPair, subscriber: CurveKeyPair)
    private let reactor: Reactor
    private let traffic: Mutex<Traffic>
    private let isStopping = Flag()

    init(to running: PublishingNode.Running, of node: PublishingNode, seed: UInt64) throws {
        self.node = running.endpoints
        self.keys = (node.stream.keys, node.subscriber)
        self.reactor = try Reactor()
        let chance = Kind.allCases.map { ($0, SeededGenerator(seed: seed << 8 | $0.rawValue)) }
        self.traffic = Mutex(Traffic(chance: Dictionary(uniqueKeysWithValues: chance)))
    }

    /// Where subscribers find it.
    var stream: String { Self.place(of: self.node.stream) }
    var service: String { Self.place(of: self.node.service) }

    private static func place(of endpoint: String) -> String {
        "tcp://\(Self.host)\(endpoint.lastIndex(of: ":").map { endpoint[$0...] } ?? "")"
    }

    /// How many messages of each kind were lost so far.
    var lost: [Kind: Int] { self.traffic.withLock(\.lost) }

    /// How many came, lost ones among them.
    func count(of kind: Kind) -> Int { self.traffic.withLock { $0.count[kind, default: 0] } }

    /// Until it is cancelled.
    func run() async {
        await withTaskCancellationHandler {
            do throws(ZeroMQError) {
                try await self.reactor.run { () throws(ZeroMQError) in try RelayProgram(self) }
            } catch {
                Issue.record(error, "the relay has ended")
            }
        } onCancel: {
            self.isStopping.raise()
            self.reactor.wakeUp.ring()
        }
    }

    // MARK: On the reactor's thread

    var isOver: Bool { self.isStopping.isRaised }

    /// - Returns: whether the next message of this kind gets lost.
    func loses(_ kind: Kind) -> Bool {
        self.traffic.withLock { traffic in
            let isLost = traffic.chance[kind]?.next().isMultiple(of: 3) ?? false
            traffic.count[kind, default: 0] += 1
            if isLost { traffic.lost[kind, default: 0] += 1 }
            return isLost
        }
    }
}
