import DequeModule
import EventSourcing
import Synchronization
import WireProtocol

/// Replies that wait for the reactor, gathered into frames for each connection; bounded for each, so that a peer that
/// does not read costs no more.
final class ReplyQueue: Sendable {
    private static let frameSize = 128 << 10

    private struct State {
        var frames: [ReplyRoute: Deque<FrameWriter>] = [:]
        var bytes: [ReplyRoute: Int] = [:]
    }

    private let node: NodeID
    private let incarnation: Incarnation
    private let byteLimit: Int
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    init(from node: NodeID, _ incarnation: Incarnation, byteLimit: Int, wake: @escaping @Sendable () -> Void) {
        self.node = node
        self.incarnation = incarnation
        self.byteLimit = byteLimit
        self.wake = wake
    }

    /// Beyond the bound the reply is dropped: its caller has a deadline.
    func put(_ reply: RemoteReply, on route: ReplyRoute) { self.write(to: route) { $0.add(reply) } }

    func putReset(on route: ReplyRoute) { self.write(to: route) { $0.addReset() } }

    private func write(to route: ReplyRoute, _ body: (inout FrameWriter) -> Void) {
        self.state.withLock { state in
            guard state.bytes[route, default: 0] < self.byteLimit else { return }
            var frames = state.frames.removeValue(forKey: route) ?? []
            if frames.last.map({ $0.count >= Self.frameSize }) ?? true {
                frames.append(
                    FrameWriter(
                        FrameHeader(
                            node: self.node.rawValue, incarnation: self.incarnation.rawValue, addressee: route.caller)))
            }
            let before = frames[frames.count - 1].count
            body(&frames[frames.count - 1])
            state.bytes[route, default: 0] += frames[frames.count - 1].count - before
            state.frames[route] = frames
        }
        self.wake()
    }

    /// Where there is something to say.
    var routes: [ReplyRoute] { self.state.withLock { Array($0.frames.keys) } }

    func takeFrame(for route: ReplyRoute) -> [UInt8]? {
        self.state.withLock { state in
            guard var frames = state.frames.removeValue(forKey: route), let frame = frames.popFirst() else {
                return nil
            }
            state.bytes[route] = frames.isEmpty ? nil : state.bytes[route, default: 0] - frame.count
            if !frames.isEmpty { state.frames[route] = frames }
            return frame.bytes
        }
    }

    /// The connection is gone, and whoever waits at its other end hears nothing.
    func drop(_ route: ReplyRoute) {
        self.state.withLock { state in
            state.frames[route] = nil
            state.bytes[route] = nil
        }
    }
}
