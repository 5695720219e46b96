import Perennial
import StrictJSON
import Testing

/// A node's check by customer beside the truth.
@Suite struct CustomerAnswerPairTests {
    private static let subscription =
        #"{"kind":"subscription","id":"7","environment":"Production","productId":"pro.monthly","entitled":true}"#
    private static let expired =
        #"{"kind":"subscription","id":"7","environment":"Production","productId":"pro.monthly","entitled":false}"#
    private static let grant =
        #"{"kind":"grant","id":"web-pro","environment":"Production","entitlement":"pro","entitled":true}"#
    private static let sandbox =
        #"{"kind":"subscription","id":"9","environment":"Sandbox","productId":"pro.monthly","entitled":true}"#

    private static let yes = """
        {"entitled":true,"environment":"Production","by":{"kind":"subscription","id":"7","productId":"pro.monthly"}}
        """
    private static let no = #"{"entitled":false,"environment":null,"by":null,"reason":"unknownCustomer"}"#

    private func pair(
        _ node: String, _ holdings: [String], movedTo: String? = nil, missing: String = "",
        in environment: String = "Production"
    ) throws -> CustomerAnswerPair {
        let store = """
            {"customerId":"u-1","at":"2026-05-01T12:00:00.000Z","movedTo":\(movedTo.map { "\"\($0)\"" } ?? "null"),
            "holdings":[\(holdings.joined(separator: ","))],"missing":[\(missing)]}
            """
        return CustomerAnswerPair(
            environment: environment, node: try JSONFragment(Array(node.utf8)),
            store: try JSONFragment(Array(store.utf8)))
    }

    private func difference(_ field: String, _ node: String?, _ store: String?, _ reason: String? = nil) -> Difference {
        Difference(id: "u-1", at: "2026-05-01T12:00:00.000Z", field: field, node: node, store: store, reason: reason)
    }

    @Test func `the same is no difference`() throws {
        #expect(try self.pair(Self.yes, [Self.subscription]).differences.isEmpty)
        #expect(try self.pair(Self.yes, [Self.subscription, Self.grant]).differences.isEmpty)
        #expect(try self.pair(Self.no, []).differences.isEmpty)
        #expect(try self.pair(Self.no, [Self.expired]).differences.isEmpty)
    }

    @Test func `access that should not be, and that is missing, is one difference`() throws {
        #expect(try self.pair(Self.yes, [Self.expired]).differences == [self.difference("entitled", "true", "false")])
        #expect(try self.pair(Self.no, [Self.grant]).differences == [self.difference("entitled", "false", "true")])
    }

    @Test func `access by something that gives none is a difference`() throws {
        #expect(
            try self.pair(Self.yes, [Self.expired, Self.grant]).differences == [
                self.difference("by", "subscription 7", "grant web-pro")
            ])
        let other = Self.yes.replacing("pro.monthly", with: "basic")
        #expect(
            try self.pair(other, [Self.subscription]).differences == [
                self.difference("productId", "basic", "pro.monthly")
            ])
    }

    @Test func `who was moved is somebody else`() throws {
        let moved = #"{"entitled":false,"by":null,"reason":"customerMoved","movedTo":"u-2"}"#
        #expect(try self.pair(moved, [], movedTo: "u-2").differences.isEmpty)
        #expect(
            try self.pair(moved, [], movedTo: "u-3").differences == [self.difference("movedTo", "u-2", "u-3")])
        #expect(try self.pair(Self.no, [], movedTo: "u-2").differences == [self.difference("movedTo", nil, "u-2")])
    }

    @Test func `what was bought in Sandbox counts where the node says so`() throws {
        // given a reviewer, who has something in Sandbox alone
        let countedHere = """
            {"entitled":true,"environment":"Sandbox","by":{"kind":"subscription","id":"9","productId":"pro.monthly"}}
            """
        #expect(try self.pair(Self.no, [Self.sandbox]).otherEnvironments == ["Sandbox"])

        // then a node may count it in Production or not, and has to in Sandbox
        #expect(try self.pair(Self.no, [Self.sandbox]).differences.isEmpty)
        #expect(try self.pair(countedHere, [Self.sandbox]).differences.isEmpty)
        #expect(try self.pair(countedHere, [Self.sandbox], in: "Sandbox").differences.isEmpty)
        #expect(
            try self.pair(Self.no, [Self.sandbox], in: "Sandbox").differences == [
                self.difference("entitled", "false", "true")
            ])
        // and what was bought in Production does not count there
        #expect(try self.pair(Self.no, [Self.subscription], in: "Sandbox").differences.isEmpty)
    }

    @Test func `what the node cannot know of explains it`() throws {
        let missing = #"{"backendRequest":17,"due":"2026-05-01T11:00:00.000Z","state":"waiting"}"#
        #expect(
            try self.pair(Self.no, [Self.subscription], missing: missing).differences == [
                self.difference(
                    "entitled", "false", "true",
                    "request 17 of the publisher's backend, due 2026-05-01T11:00:00.000Z, has not been made")
            ])
    }

    @Test func `the tally counts customers`() {
        var tally = ComparisonTally()
        tally.customers = 2
        for answer in [[], [], [self.difference("entitled", "false", "true")]] { tally.add(answer: answer) }
        #expect(tally.sentence == "2 customers, 3 answers compared: 2 equal, 0 explained, 1 unexplained")
    }
}
