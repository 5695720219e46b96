import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

@Suite(.onOwnThreads) struct PostgresSharedStoreTests {
    @Test(arguments: SharedStoreContract.all)
    func keeps(_ contract: SharedStoreContract) async throws {
        let database = try PostgresServer.shared().makeSchema()
        let store = try PostgresEventStore(in: database)
        try await contract.hold(store)
        store.close()
        try database.drop()
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// The server and this process have the same clock.
    @Test("a sign of life is answered with the time") func tellsTheTime() throws {
        let database = try PostgresServer.shared().makeSchema()
        let store = try PostgresEventStore(in: database)
        let run = try store.begin("a", incarnation: 1)
        let before = Self.now
        let time = try store.beat(run)?.time
        let after = Self.now
        // It is rounded there, and cut off here.
        #expect(try (before...after + 1).contains(#require(time)))
        store.close()
        try database.drop()
    }
}
