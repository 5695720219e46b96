/// Waits, without a clock, until something has become true. The time limit of the test, which cancels it, is the only bound.
package func eventually(_ condition: () async throws -> Bool) async rethrows {
    while !Task.isCancelled, try await !condition() {
        await Task.yield()
        try? await Task.sleep(for: .milliseconds(1))
    }
}
