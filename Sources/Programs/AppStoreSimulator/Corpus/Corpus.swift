import Foundation

/// A file of signed notifications, one JWS a line, for load tests. Neighbouring lines are about different customers.
/// The same seed gives the same file, signatures apart.
package struct Corpus: Sendable {
    /// Lives that are told together, in the order of signing; about 600 notifications.
    private static let customersPerChunk = 32

    private let factory: LifecycleFactory

    package init(factory: LifecycleFactory) { self.factory = factory }

    /// Writes exactly `count` lines, over whatever was there.
    ///
    /// - Parameter progress: called with the number of lines written so far.
    package func write(
        count: Int, to path: String, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        // Writes into what is there, which may be a device or a pipe, and puts nothing in its place.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? file.close() }
        var written = 0
        try await self.forEachChunk { lines in
            let taken = lines.prefix(count - written)
            var bytes = Data()
            for line in taken {
                bytes.append(contentsOf: line)
                bytes.append(0x0A)
            }
            try file.write(contentsOf: bytes)
            written += taken.count
            progress(written)
            return written < count
        }
    }

    /// All cores make chunks; they are handed over in order, and no more are made ahead than there are cores.
    ///
    /// - Parameter body: false to stop.
    private func forEachChunk(_ body: ([[UInt8]]) throws -> Bool) async throws {
        try await withThrowingTaskGroup(of: (Int, [[UInt8]]).self) { group in
            var started = 0
            func startChunk() {
                let number = started
                started += 1
                group.addTask { (number, try self.chunk(number)) }
            }
            var ready: [Int: [[UInt8]]] = [:]
            var awaited = 0
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount { startChunk() }
            while let (number, lines) = try await group.next() {
                ready[number] = lines
                while let lines = ready.removeValue(forKey: awaited) {
                    awaited += 1
                    guard try body(lines) else { return group.cancelAll() }
                    startChunk()
                }
            }
        }
    }

    private func chunk(_ number: Int) throws -> [[UInt8]] {
        let first = number * Self.customersPerChunk
        var notifications = try (first..<first + Self.customersPerChunk).flatMap { index in
            try Task.checkCancellation()
            return try self.factory.notifications(ofCustomer: index)
        }
        notifications.append(try self.factory.testNotification(number: number))
        notifications.sort { ($0.signedDate, $0.uuid) < ($1.signedDate, $1.uuid) }
        return notifications.map(\.signedPayload)
    }
}
