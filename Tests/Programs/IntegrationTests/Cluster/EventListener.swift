import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Follows the change stream by server-sent events, and comes back with the last `id` that it got, as a browser's
/// `EventSource` does.
final class EventListener: Sendable {
    private struct State {
        var versions = HeardVersions()
        var isCaughtUp = false
        var lastID: String?
        /// With which id each connection began.
        var places: [String?] = []
        var troubles: [String] = []
    }

    private let state = Mutex(State())

    var versions: HeardVersions { self.state.withLock(\.versions) }
    var isCaughtUp: Bool { self.state.withLock(\.isCaughtUp) }
    var places: [String?] { self.state.withLock(\.places) }
    /// What no listener should hear.
    var troubles: [String] { self.state.withLock(\.troubles) }

    /// Listens to one node until that ends, and then to another one, until it is cancelled.
    func follow(_ first: NodeProcess, then second: NodeProcess) async {
        await self.listen(to: first)
        while !Task.isCancelled {
            await self.listen(to: second)
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private func listen(to node: NodeProcess) async {
        let place = self.state.withLock(\.lastID)
        guard let response = try? await node.eventStream(after: place) else { return }
        guard response.status == .ok else {
            // While a shard changes hands, he is asked to come again.
            if response.status != .serviceUnavailable { self.complain("status \(response.status.code)") }
            return
        }
        self.state.withLock { $0.places.append(place) }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                bytes.append(contentsOf: part.readableBytesView)
                while let end = bytes.firstRange(of: [10, 10]) {
                    self.take(String(decoding: bytes[..<end.lowerBound], as: UTF8.self))
                    bytes.removeSubrange(..<end.upperBound)
                }
            }
        } catch {
            // The node has gone, in the middle of an event perhaps, which does not count then.
        }
    }

    private func take(_ block: String) {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            fields[String(parts[0])] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let json = try? JSONSerialization.jsonObject(with: Data((fields["data"] ?? "").utf8)) as? [String: Any]
        let isUnderstood = self.state.withLock { state in
            state.lastID = fields["id"] ?? state.lastID
            switch fields["event"] {
            case nil: return true
            case "caughtup": state.isCaughtUp = true
            case "delta": return state.versions.add(json ?? [:])
            default: return false
            }
            return true
        }
        if !isUnderstood { self.complain(block) }
    }

    private func complain(_ trouble: String) { self.state.withLock { $0.troubles.append(trouble) } }
}
