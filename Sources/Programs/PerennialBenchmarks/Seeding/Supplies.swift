import AppStoreSimulator
import Foundation

/// What several benchmarks of a run need, each made when it is first asked for.
actor Supplies {
    /// Signs everything in this run.
    let authority: CertificateAuthority
    /// The file that a node takes as its root certificate.
    nonisolated let root: String
    private let directory: URL
    private var stores: [Int: Task<SeededStore, any Error>] = [:]
    private var fileCount = 0

    init(in directory: URL) throws {
        self.authority = try CertificateAuthority.make(seed: 4)
        self.directory = directory
        self.root = directory.appending(path: "root.cer").path
        try Data(self.authority.root.der).write(to: URL(filePath: self.root))
    }

    /// A path for a store that is not there yet.
    func newStore() -> String {
        self.fileCount += 1
        return self.directory.appending(path: "store-\(self.fileCount).db").path
    }

    /// A store with so many subscriptions. Benchmarks one after the other use the same one.
    func store(seeded count: Int, say: @Sendable @escaping (String) -> Void) async throws -> SeededStore {
        let making =
            self.stores[count]
            ?? Task {
                let start = ContinuousClock.now
                let path = self.newStore()
                let seeding = try await Seeding(count: count, authority: self.authority)
                try await Self.onItsOwnThread { try seeding.fill(path) }
                say("  \(count) subscriptions seeded in \((.now - start).formatted())")
                return SeededStore(path: path, ids: seeding.ids)
            }
        self.stores[count] = making
        return try await making.value
    }

    /// The store blocks.
    static func onItsOwnThread<Value: Sendable>(_ body: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
