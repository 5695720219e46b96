import AppStoreSimulator
import Foundation
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct KillTests {
    @Test(.timeLimit(.minutes(10)))
    func whatWasAnsweredWith200IsThereOnceAfterTwentyKills() async throws {
        let directory = try TemporaryDirectory()
        let corpus = try SignedCorpus(count: 4_000, seed: 7)
        let ledger = Ledger(corpus.notifications)
        var generator = SystemRandomNumberGenerator()

        for _ in 0..<20 {
            let node = try await NodeProcess.start(in: directory, root: corpus.root)
            let target = ledger.acknowledged.count + Int.random(in: 20...180, using: &generator)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { await Self.post(to: node, ledger: ledger, killingAfter: target) }
                }
            }
            node.process.send(SIGKILL)
            #expect(await node.process.waitForExit() == 128 + SIGKILL)
        }

        let node = try await NodeProcess.start(in: directory, root: corpus.root)
        let events = try await node.allEvents()
        node.process.send(SIGTERM)
        #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")

        let counts = Dictionary(grouping: events.compactMap { $0["notificationUUID"] as? String }, by: { $0 })
        #expect(ledger.acknowledged.count >= 400)
        #expect(ledger.refused.isEmpty, "answers other than 200: \(ledger.refused)")
        let wrong = ledger.acknowledged.filter { counts[$0]?.count != 1 }
        #expect(wrong.isEmpty, "acknowledged, but not there exactly once")
        let invented = counts.keys.filter { !ledger.sent.contains($0) }
        #expect(invented.isEmpty, "there, but never sent")
        Self.expectGaplessVersions(events)
    }

    /// Posts until `target` notifications are acknowledged; the one who sees that kills the node under the others' load.
    private static func post(to node: NodeProcess, ledger: Ledger, killingAfter target: Int) async {
        while ledger.acknowledged.count < target, let next = ledger.takeNext() {
            guard let status = try? await node.notify(next.signedPayload) else { return ledger.giveBack(next) }
            ledger.note(status, of: next)
            if ledger.acknowledged.count >= target { node.process.send(SIGKILL) }
        }
    }

    private static func expectGaplessVersions(_ events: [[String: Any]]) {
        let versions = events.reduce(into: [String: [Int]]()) { versions, event in
            let stream = event["stream"] as? [String: String] ?? [:]
            let name = "\(stream["kind"] ?? "?") \(stream["id"] ?? "?")"
            versions[name, default: []].append(event["version"] as? Int ?? 0)
        }
        let broken = versions.filter { $0.value.sorted() != Array(1...$0.value.count) }.keys
        #expect(broken.isEmpty, "streams whose versions have holes")
        #expect(versions.count > 100)
    }
}

/// What was posted, and what of it was answered with 200. Notifications without an answer are posted again.
private final class Ledger: Sendable {
    private struct Entries {
        var waiting: [SignedNotification]
        var sent: Set<String> = []
        var acknowledged: Set<String> = []
        var refused: [UInt] = []
    }
    private let entries: Mutex<Entries>

    init(_ notifications: [SignedNotification]) {
        self.entries = Mutex(Entries(waiting: notifications.reversed()))
    }

    var sent: Set<String> { self.entries.withLock { $0.sent } }
    var acknowledged: Set<String> { self.entries.withLock { $0.acknowledged } }
    /// Statuses other than 200.
    var refused: [UInt] { self.entries.withLock { $0.refused } }

    func takeNext() -> SignedNotification? {
        self.entries.withLock { entries in
            guard let next = entries.waiting.popLast() else { return nil }
            entries.sent.insert(next.uuid)
            return next
        }
    }

    func giveBack(_ notification: SignedNotification) {
        self.entries.withLock { $0.waiting.append(notification) }
    }

    func note(_ status: UInt, of notification: SignedNotification) {
        self.entries.withLock { entries in
            if status == 200 { entries.acknowledged.insert(notification.uuid) } else { entries.refused.append(status) }
        }
    }
}
