import Foundation
import Subscriptions
import Testing

/// What operators see of notifications that Apple could not deliver.
@Suite(.timeLimit(.minutes(5))) struct FailedDeliveryTests {
    private static let name = "perennial_apple_failed_deliveries_total"
    private static let series =
        #"\#(Self.name){app="\#(TestStore.apps[0])",environment="Production",result="TLS_ISSUE"} "#

    @Test("what Apple could not deliver is fetched, and counted on the page for Prometheus by what Apple saw")
    func countsFailedDeliveries() async throws {
        // given: two that failed, each in two ways; Apple may list the newest attempt first
        let payloads = try ["71", "72"].map { id in
            let posted = try TestStore.shared.get().notification(id: id, purchased: .now - .minutes(3))
            let members = try JSONSerialization.jsonObject(with: Data(posted.utf8)) as? [String: String]
            return try #require(members?["signedPayload"])
        }
        let items = payloads.map { payload in
            """
            {"signedPayload":"\(payload)","sendAttempts":[\
            {"attemptDate":1700003600000,"sendAttemptResult":"TLS_ISSUE"},\
            {"attemptDate":1700000000000,"sendAttemptResult":"TIMED_OUT"}]}
            """
        }
        let apple = ScriptedApple([
            "POST /v1/notifications/history": .init(
                body: #"{"notificationHistory":[\#(items.joined(separator: ","))],"hasMore":false}"#)
        ])
        try await Node.run(apple: apple) { node in
            // when: the node looks, which it does by itself
            var lines: [String] = []
            while !lines.contains(where: { $0.hasPrefix("\(Self.name){") && !$0.hasSuffix(" 0") }) {
                try await Task.sleep(for: .milliseconds(20))
                lines = try await node.send("GET", "/metrics").body.split(separator: "\n").map(String.init)
            }
            // then
            #expect(lines.contains(Self.series + "2"))
            #expect(lines.contains("# TYPE \(Self.name) counter"))
            #expect(!lines.contains { $0.contains("TIMED_OUT") })
            #expect(try await node.send("GET", "/v1/subscriptions/72").status == 200)
        }
    }
}
