import PerennialTestSupport
import PostgresHarness

extension PostgresDatabase {
    /// Waits until nothing that was kept for absent owners has to be applied any more.
    func untilInboxIsApplied() async throws {
        let question = "SELECT count(*) FROM inbox WHERE parked_at IS NULL"
        while true {
            let waiting = try await onOwnThread { try self.query(question) }
            if waiting == ["0"] { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
