import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import Testing

/// Launches over HTTP.
@Suite struct LaunchRouteTests {
    @Test func `a launch answers with the entitlements, and with what became of each item`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let body =
                #"{"signedTransactions":["a.b.c"],"signedRenewalInfos":["x"],"signedAppTransaction":"y","restore":true}"#
            let answer = try await node.send("POST", "/v1/customers/u-1/launch", body: body)
            #expect(answer.status == 200)
            #expect(answer.json["customerId"] as? String == "u-1")
            #expect((answer.json["entitlements"] as? [Any])?.isEmpty == false)
            let items = try #require(answer.json["items"] as? [[String: Any]])
            #expect(
                items.compactMap { $0["kind"] as? String }
                    == ["signedTransaction", "signedRenewalInfo", "signedAppTransaction"])
            #expect(items.allSatisfy { $0["result"] as? String == "refused" && $0["code"] is String })
            #expect(answer.json["streams"] == nil && answer.json["attributes"] == nil, "it goes to devices")
        }
    }

    @Test(arguments: [
        (#"{"signedTransactions":"a"}"#, 400, "malformedBody"), (#"{"receipts":[]}"#, 400, "malformedBody"),
        (#"{"signedTransactions":[1]}"#, 400, "malformedBody"), ("[]", 400, "malformedBody"),
        ("{\"signedTransactions\":[\(String(repeating: "\"a\",", count: 200))\"a\"]}", 413, "tooManyItems"),
    ])
    func `what is no launch gets a clear answer`(_ body: String, _ status: Int, _ code: String) async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let answer = try await node.send("POST", "/v1/customers/u-1/launch", body: body)
            #expect(answer.status == status && answer.code == code)
        }
    }
}
