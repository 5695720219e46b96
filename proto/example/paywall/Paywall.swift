import Foundation
import PerennialClient

/// Keeps a copy of all entitlements, asks it about one subscription, and prints what happens to any:
///     paywall ADDRESS PUBLIC-KEY-OF-THE-NODE SECRET-KEY-FILE ORIGINAL-TRANSACTION-ID POSITION-FILE
@main struct Paywall {
    static func main() async throws {
        guard CommandLine.arguments.count == 6 else { exit(2) }
        let (address, publicKey) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let (keyFile, id, positionFile) = (CommandLine.arguments[3], CommandLine.arguments[4], CommandLine.arguments[5])

        let client = try PerennialClient(
            .init(
                nodes: [.init(address: address, publicKey: publicKey)],
                secretKey: String(contentsOfFile: keyFile, encoding: .utf8)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            // It follows the nodes until it is cancelled.
            defer { group.cancelAll() }
            group.addTask { try await client.run() }
            try await client.untilReady()

            let entitlement = try client.check(id)
            print(id, entitlement.isEntitled ? "has access" : "has no access")

            let saved = (try? String(contentsOfFile: positionFile, encoding: .utf8))
                .map(PerennialClient.ChangePosition.init(rawValue:))
            let changes = try client.changes(after: saved)
            for await event in changes {
                if case .change(let change) = event { print(change.subject.originalTransactionID, change.entitlement) }
                try changes.position?.rawValue.write(toFile: positionFile, atomically: true, encoding: .utf8)
            }
        }
    }
}
