import Foundation
import Synchronization
import Waiting

/// Asks for the addresses of hosts. Each host has a thread of its own for as long as that takes, and one at most: a name
/// server that does not answer keeps nobody waiting for other names.
package final class HostLookup: Sendable {
    static let shared = HostLookup(resolve: NetworkAddress.resolve)

    private let resolve: @Sendable (String) -> [NetworkAddress]
    /// Who waits for the answer that is under way, by host.
    private let waiters = Mutex<[String: [CheckedContinuation<[NetworkAddress], Never>]]>([:])

    /// - Parameter resolve: may block.
    package init(resolve: @escaping @Sendable (String) -> [NetworkAddress]) { self.resolve = resolve }

    /// Those that the host has now; none for a name that is not known.
    package func addresses(of host: String) async -> [NetworkAddress] {
        await withCheckedContinuation { continuation in
            let isUnderWay = self.waiters.withLock { waiters in
                defer { waiters[host, default: []].append(continuation) }
                return waiters[host] != nil
            }
            if !isUnderWay { self.ask(host) }
        }
    }

    private func ask(_ host: String) {
        DedicatedThread.start(named: "lookup") {
            let addresses = self.resolve(host)
            let waiters = self.waiters.withLock { $0.removeValue(forKey: host) } ?? []
            for waiter in waiters { waiter.resume(returning: addresses) }
        }
    }
}
