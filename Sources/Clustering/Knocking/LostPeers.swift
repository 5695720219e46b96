import EventSourcing
import Foundation
import Synchronization

/// Knocks at the addresses of those to whom there has been a connection and is none any more, and tells what becomes of it.
/// Who has never been connected to is left alone: his address may be one that does not lead to him.
final class LostPeers: Sendable {
    /// Hears of every knock. On any thread; it must not wait.
    typealias Listener = @Sendable (_ run: ShardRecord.Owner, _ isRefused: Bool) -> Void

    private static let interval = Duration.milliseconds(250)
    /// Who is still not there, nobody waits for: no lease is longer.
    private static let patience = Duration.seconds(60)

    private struct State {
        var listener: Listener?
        /// They are knocked at.
        var lost: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())
    private let (losses, loss) = AsyncStream.makeStream(of: Association.self)

    func onKnock(_ listener: @escaping Listener) { self.state.withLock { $0.listener = listener } }

    /// The connection has just been lost.
    func add(_ association: Association) {
        guard association.isLost else { return }
        let isNews = self.state.withLock { state in
            state.listener != nil && state.lost.insert(ObjectIdentifier(association)).inserted
        }
        if isNews { self.loss.yield(association) }
    }

    /// Until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await association in self.losses { group.addTask { await self.knock(at: association) } }
            group.cancelAll()
        }
    }

    private func knock(at association: Association) async {
        guard let listener = self.state.withLock(\.listener) else { return }
        let run = ShardRecord.Owner(node: association.peer.node, incarnation: association.peer.incarnation)
        let knock = Knock(association.peer.endpoint)
        let end = ContinuousClock.now + Self.patience
        while !self.isOver(association, at: end) {
            let isRefused = await Self.isRefused(knock)
            // It may have come back meanwhile.
            if association.isLost { listener(run, isRefused) }
            try? await Task.sleep(for: Self.interval)
        }
        listener(run, false)
    }

    private func isOver(_ association: Association, at end: ContinuousClock.Instant) -> Bool {
        self.state.withLock { state in
            guard Task.isCancelled || !association.isLost || end <= .now else { return false }
            // Whatever is lost after this is added anew.
            state.lost.remove(ObjectIdentifier(association))
            return true
        }
    }

    /// On a thread of its own, which is not waited for by who stops: names are looked up.
    private static func isRefused(_ knock: Knock?) async -> Bool {
        guard let knock else { return false }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        Thread.detachNewThread {
            answer.yield(knock.isRefused())
            answer.finish()
        }
        for await isRefused in answers { return isRefused }
        return false
    }
}
