import PerennialTestSupport
import PostgresHarness

extension NodeProcess {
    /// Waits until every node of a store has given two more signs of life. By then the others have read the store, too.
    static func untilAllBeat(in database: PostgresDatabase) async throws {
        func beats() async throws -> [Int] {
            try await onOwnThread { try database.query("SELECT beat FROM node ORDER BY node_id") }.compactMap {
                Int($0)
            }
        }
        let before = try await beats()
        while try await zip(beats(), before).contains(where: { $0 < $1 + 2 }) {
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
