import Perennial
import StrictJSON
import Testing

@Suite struct AnswerPairTests {
    private static let truth = [
        "originalTransactionId": #""2000000000000001""#, "at": #""2026-05-01T12:00:00.000Z""#,
        "state": #""subscribed""#, "entitled": "true", "productId": #""pro.monthly""#, "transactionId": #""7""#,
        "expiresDate": #""2026-06-01T00:00:00.000Z""#, "autoRenew": "true", "missing": "[]",
    ]

    private static func json(_ members: [String: String]) throws -> JSONFragment {
        let text = members.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return try JSONFragment(Array("{\(text)}".utf8))
    }

    private func differences(
        node: [String: String]?, store: [String: String] = [:], isPurchase: Bool = false
    ) throws -> [Difference] {
        let truth = Self.truth.merging(store) { $1 }
        return AnswerPair(
            isPurchase: isPurchase, node: try node.map { try Self.json(truth.merging($0) { $1 }) },
            store: try Self.json(truth)
        ).differences
    }

    @Test func theSameIsNoDifference() throws {
        #expect(try self.differences(node: [:]).isEmpty)
        #expect(try self.differences(node: ["expiresDate": #""2026-06-01T02:00:00+02:00""#]).isEmpty)
    }

    @Test(arguments: [
        ("state", #""expired""#, "expired", "subscribed"), ("entitled", "false", "false", "true"),
        ("productId", #""basic""#, "basic", "pro.monthly"), ("transactionId", "null", nil, "7"),
        ("expiresDate", #""2026-06-01T00:00:00.001Z""#, "2026-06-01T00:00:00.001Z", "2026-06-01T00:00:00.000Z"),
        ("autoRenew", "false", "false", "true"),
    ])
    func everyFieldIsCompared(field: String, json: String, node: String?, store: String) throws {
        let differences = try self.differences(node: [field: json])
        #expect(
            differences == [
                Difference(
                    id: "2000000000000001", at: "2026-05-01T12:00:00.000Z", field: field, node: node, store: store,
                    reason: nil)
            ])
    }

    @Test func theGraceDateIsComparedInGrace() throws {
        let store = ["gracePeriodExpiresDate": #""2026-06-17T00:00:00.000Z""#]
        let node = ["gracePeriodExpiresDate": "null"]
        #expect(try self.differences(node: node, store: store).isEmpty)
        let grace = store.merging(["state": #""grace""#]) { $1 }
        #expect(try self.differences(node: node, store: grace).map(\.field) == ["gracePeriodExpiresDate"])
    }

    @Test func whatTheNodeDoesNotKnowIsOneDifference() throws {
        #expect(try self.differences(node: nil).map(\.node) == ["unknown"])
        #expect(try self.differences(node: nil).map(\.field) == ["state"])
        #expect(try self.differences(node: ["state": "null", "entitled": "false"]).map(\.node) == [nil])
    }

    @Test func ofAPurchaseOnlyWhatItHasIsCompared() throws {
        let node = ["autoRenew": "null", "expiresDate": "null"]
        #expect(try self.differences(node: node, isPurchase: true).isEmpty)
        #expect(try self.differences(node: ["entitled": "false"], isPurchase: true).count == 1)
    }

    @Test func whatIsMissingExplainsIt() throws {
        let missing = """
            [{"notificationUUID":"3f","notificationType":"DID_RENEW","subtype":null,"state":"givenUp",
            "signedDate":"2026-05-01T00:00:00.000Z","attempts":[]},
            {"notificationUUID":"4a","notificationType":"EXPIRED","subtype":"VOLUNTARY","state":"waiting",
            "signedDate":"2026-05-01T00:00:01.000Z","nextAttempt":"2026-05-01T01:00:00.000Z","attempts":[]}]
            """
        let differences = try self.differences(node: ["entitled": "false"], store: ["missing": missing])
        #expect(
            differences.map(\.reason) == [
                "DID_RENEW 3f signed 2026-05-01T00:00:00.000Z was given up on; EXPIRED/VOLUNTARY 4a signed "
                    + "2026-05-01T00:00:01.000Z is still waiting, next attempt 2026-05-01T01:00:00.000Z"
            ])
        #expect(try self.differences(node: [:], store: ["missing": missing]).isEmpty)
    }

    @Test func aPaymentThatCameLaterExplainsGrace() throws {
        let grace = ["state": #""grace""#, "gracePeriodExpiresDate": #""2026-05-17T00:00:00.000Z""#]
        let node = ["state": #""subscribed""#, "gracePeriodExpiresDate": "null"]
        let differences = try self.differences(node: node, store: grace)
        #expect(differences.map(\.field) == ["state", "gracePeriodExpiresDate"])
        #expect(differences.allSatisfy { $0.reason?.hasPrefix("paid later") == true })

        // It explains nothing else, not what was over by then, and no other transaction.
        let autoRenew = try self.differences(node: node.merging(["autoRenew": "false"]) { $1 }, store: grace)
        #expect(autoRenew.filter { $0.reason == nil }.map(\.field) == ["autoRenew"])
        let over = grace.merging(["expiresDate": #""2026-05-01T12:00:00.000Z""#]) { $1 }
        #expect(try self.differences(node: node, store: over).contains { $0.reason == nil })
        let other = node.merging(["transactionId": #""8""#]) { $1 }
        #expect(try self.differences(node: other, store: grace).contains { $0.reason == nil })
    }

    @Test func theTallyCountsAnswers() throws {
        var tally = ComparisonTally()
        tally.subscriptions = 1
        let explained = Difference(id: "1", at: "", field: "state", node: nil, store: nil, reason: "waits")
        let unexplained = Difference(id: "1", at: "", field: "state", node: nil, store: nil, reason: nil)
        for answer in [[], [explained, explained], [unexplained], []] { tally.add(answer: answer) }
        #expect(
            tally.sentence == "1 subscription and 0 purchases, 4 answers compared: 2 equal, 1 explained, 1 unexplained")
    }
}
