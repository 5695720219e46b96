import AppStore
import Subscriptions
import Testing

@Suite struct ServerAPIPageTests {
    private static func page(_ revision: String?, hasMore: Bool, _ transactions: String = #""a.b.c""#)
        -> ServerAPIAnswer
    {
        let revision = revision.map { #""revision":"\#($0)","# } ?? ""
        return .json(#"{\#(revision)"hasMore":\#(hasMore),"signedTransactions":[\#(transactions)]}"#)
    }

    @Test func keepsTheFilterFromPageToPage() async throws {
        let transport = ScriptedTransport([
            Self.page("r1", hasMore: true), Self.page("r2", hasMore: true, ""), Self.page("r3", hasMore: false),
        ])
        var filter = HistoryFilter()
        filter.productIDs = ["p"]
        var revisions: [String?] = []
        let client = try ServerAPIFixture(transport).client
        for try await page in client.transactionHistoryPages(of: "1", filter, after: "r0") {
            revisions.append(page.revision)
        }
        #expect(revisions == ["r1", "r2", "r3"])
        #expect(
            transport.requests.map(\.query)
                == ["r0", "r1", "r2"].map { "revision=\($0)&productId=p&sort=ASCENDING" })
    }

    @Test func asksOnlyForWhatIsWanted() async throws {
        let transport = ScriptedTransport([Self.page("r1", hasMore: true), Self.page("r2", hasMore: false)])
        let client = try ServerAPIFixture(transport).client
        for try await page in client.refundHistoryPages(of: "1") {
            #expect(page.revision == "r1")
            break
        }
        #expect(transport.requests.map(\.query) == [""])
    }

    @Test(
        "ends where pages would never end",
        arguments: [["r1", "r1"], ["r1", "r2", "r1"], ["r0"], [nil]] as [[String?]])
    func noEndlessLoop(_ revisions: [String?]) async throws {
        let transport = ScriptedTransport(revisions.map { Self.page($0, hasMore: true) })
        let client = try ServerAPIFixture(transport).client
        var pages = client.transactionHistoryPages(of: "1", after: "r0").makeAsyncIterator()
        var failure: ServerAPIError?
        do {
            while try await pages.next() != nil {}
        } catch {
            failure = error
        }
        #expect(failure?.code == .malformedAnswer)
        #expect(transport.requests.count == revisions.count)
        #expect(try await pages.next() == nil)
    }

    @Test("ends where page after page has nothing, however their tokens differ", arguments: [99, 100])
    func noEndlessNothing(_ empty: Int) async throws {
        // given: one with something before, and one after
        let pages =
            [Self.page("r1", hasMore: true)] + (0..<empty).map { Self.page("e\($0)", hasMore: true, "") }
            + [Self.page("r2", hasMore: false)]
        let transport = ScriptedTransport(pages)
        let client = try ServerAPIFixture(transport).client
        var sequence = client.transactionHistoryPages(of: "1").makeAsyncIterator()
        var read = 0
        var failure: ServerAPIError?
        // when
        do {
            while try await sequence.next() != nil { read += 1 }
        } catch {
            failure = error
        }
        // then
        #expect(failure?.code == (empty == 100 ? .malformedAnswer : nil))
        #expect(read == (empty == 100 ? 100 : 101))
    }

    @Test func readsNotificationHistory() async throws {
        let transport = ScriptedTransport([
            .json(
                """
                {"notificationHistory":[{"signedPayload":"a.b.c","sendAttempts":[
                  {"attemptDate":1698148900000,"sendAttemptResult":"TIMED_OUT"},
                  {"attemptDate":1698148950000,"sendAttemptResult":"SUCCESS"}]},
                 {"signedPayload":"d.e.f"}],"hasMore":true,"paginationToken":"t1"}
                """),
            .json(#"{"notificationHistory":[],"hasMore":false}"#),
        ])
        let client = try ServerAPIFixture(transport).client
        var items: [SentNotification] = []
        for try await page in client.notificationHistoryPages(ServerAPIRequestTests.history) { items += page.items }
        #expect(items.map(\.attempts.count) == [2, 0])
        #expect(items.first?.attempts.map(\.result) == ["TIMED_OUT", "SUCCESS"])
        #expect(items.first?.attempts.first?.date?.milliseconds == 1_698_148_900_000)
        #expect(items.last?.signedPayload.jws == Array("d.e.f".utf8))
        #expect(transport.requests.map(\.query) == ["", "paginationToken=t1"])
        #expect(Set(transport.requests.map(\.bodyText)).count == 1)
    }

    @Test func refusesANotificationWithoutPayload() async throws {
        let client = try ServerAPIFixture(ScriptedTransport(json: #"{"notificationHistory":[{}]}"#)).client
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await client.notificationHistory(ServerAPIRequestTests.history)
        }
        #expect(failure?.code == .malformedAnswer)
    }
}
