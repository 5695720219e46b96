import AppStore
import Subscriptions
import Testing

@Suite struct ServerAPIErrorTests {
    /// Asks once for the status of test notification `t`, in an App Store that answers like this for ever.
    private static func ask(
        _ answer: ServerAPIAnswer
    ) async throws -> (error: ServerAPIError?, requests: Int, fixture: ServerAPIFixture) {
        let transport = ScriptedTransport([answer])
        let fixture = try ServerAPIFixture(transport)
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.testNotificationStatus("t")
        }
        return (error, transport.requests.count, fixture)
    }

    @Test(
        "final refusals keep Apple's code and words, and are not repeated",
        arguments: [
            4_000_000, 4_000_006, 4_000_183, 4_000_185, 4_000_187, 4_030_004, 4_040_001, 4_040_005, 4_040_010,
            4_040_019,
            4_090_000, 4_000_999,
        ] as [Int64])
    func final(_ code: Int64) async throws {
        let (error, requests, fixture) = try await Self.ask(.error(code))
        #expect(error?.code == .refused)
        #expect(error?.appleCode == code)
        #expect(error?.status == Int(code / 10_000))
        #expect(error?.message == "Apple says \(code).")
        #expect(error?.retryable == false)
        #expect(requests == 1)
        #expect(fixture.observer.answers == ["testStatus \(code)"])
    }

    @Test(
        "trouble that passes is tried again, a few times",
        arguments: [4_040_002, 4_040_004, 4_040_006, 5_000_000, 5_000_001, 5_030_000])
    func passing(_ code: Int64) async throws {
        let (error, requests, fixture) = try await Self.ask(.error(code))
        #expect(error?.code == .serverTrouble)
        #expect(error?.appleCode == code)
        #expect(error?.retryable == true)
        #expect(requests == 4)
        #expect(fixture.quick.pauses == [.milliseconds(500), .seconds(1), .seconds(2)])
    }

    @Test func aTestThatIsNotThereYetMayBeAskedForLater() async throws {
        let (error, requests, _) = try await Self.ask(.error(4_040_008))
        #expect(error?.code == .refused)
        #expect(error?.appleCode == 4_040_008)
        #expect(error?.retryable == true)
        #expect(requests == 1)
    }

    @Test func anUnknownCodeGoesByItsDigits() async throws {
        let unknown = try await Self.ask(.error(9_990_000, status: 400)).error
        #expect(unknown?.code == .refused)
        #expect(unknown?.appleCode == 9_990_000)
        #expect(unknown?.status == 400)
        #expect(try await Self.ask(.error(5_030_123, status: 400)).error?.code == .serverTrouble)
        #expect(try await Self.ask(.error(4_290_123, status: 400)).error?.code == .rateLimited)
        #expect(try await Self.ask(.error(4_000_123, status: 500)).error?.code == .refused)
        #expect(try await Self.ask(.error(-1, status: 500)).error?.code == .serverTrouble)
    }

    @Test(
        "a body that says nothing leaves the status",
        arguments: ["", "<html>", "[]", #"{"errorCode":"4000000"}"#, #"{"errorCode":4.5}"#, "{"])
    func statusOnly(_ body: String) async throws {
        let refused = try await Self.ask(.json(body, status: 404)).error
        #expect(refused?.code == .refused)
        #expect(refused?.status == 404)
        #expect(refused?.appleCode == nil)
        #expect(try await Self.ask(.json(body, status: 502)).error?.code == .serverTrouble)
        #expect(try await Self.ask(.json(body, status: 302)).error?.code == .refused)
    }

    @Test func recoversFromPassingTrouble() async throws {
        let transport = ScriptedTransport([
            .json("", status: 503), .error(4_040_002), .json(#"{"testNotificationToken":"t"}"#),
        ])
        let fixture = try ServerAPIFixture(transport)
        #expect(try await fixture.client.requestTestNotification() == "t")
        #expect(fixture.observer.answers == ["requestTest 503", "requestTest 4040002", "requestTest 200"])
    }

    @Test func anExtensionIsNotAskedForTwiceByGuess() async throws {
        let request = ExtensionRequest(days: 1, reason: .other, requestIdentifier: "r")
        for answer in [
            .success(.json("", status: 500)), .success(.error(5_000_000)), .failure(ServerAPIError(.notReached, "")),
            .failure(ServerAPIError(.timedOut, "")),
        ] as [Result<ServerAPIAnswer, ServerAPIError>] {
            let transport = ScriptedTransport { _, _ in answer }
            let client = try ServerAPIFixture(transport).client
            let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
                try await client.extendRenewalDate(of: "1", request)
            }
            #expect(failure?.retryable == true)
            #expect(transport.requests.count == 1)
        }
        // Apple itself says that these may be repeated.
        let transport = ScriptedTransport([.error(4_040_006), .error(5_000_001), .json("{}")])
        _ = try await ServerAPIFixture(transport).client.extendRenewalDate(of: "1", request)
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: [ServerAPIError.Code.notReached, .timedOut]) func noAnswer(_ code: ServerAPIError.Code)
        async throws
    {
        let transport = ScriptedTransport { _, _ in .failure(ServerAPIError(code, "nothing")) }
        let fixture = try ServerAPIFixture(transport)
        let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(failure?.code == code)
        #expect(transport.requests.count == 4)
        #expect(Set(fixture.observer.answers) == ["requestTest \(code.rawValue)"])
    }

    // MARK: 429

    /// A moment relative to the fixture's clock at the start, as Apple writes it.
    private static func moment(in pause: Int64) -> String { String(1_700_000_000_000 + pause) }

    @Test func waitsUntilTheMomentAppleNames() async throws {
        let transport = ScriptedTransport([
            .error(4_290_000, retryAfter: Self.moment(in: 5_000)), .json(#"{"testNotificationToken":"t"}"#),
        ])
        let fixture = try ServerAPIFixture(transport)
        _ = try await fixture.client.requestTestNotification()
        #expect(transport.requests.count == 2)
        // Nothing went out before, and then a token had to come first.
        #expect(fixture.quick.now >= Moment(milliseconds: 1_700_000_005_000))
    }

    @Test func closesTheBudgetOfThatEndpointAlone() async throws {
        let transport = ScriptedTransport { request, _ in
            request.path.hasSuffix("/notifications/test")
                ? .success(.error(4_290_000, retryAfter: Self.moment(in: 600_000)))
                : .success(.json(#"{"signedTransactionInfo":"a.b.c"}"#))
        }
        let fixture = try ServerAPIFixture(transport)
        let limited = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(limited?.code == .rateLimited)
        #expect(limited?.appleCode == 4_290_000)
        #expect(limited?.status == 429)
        #expect(limited?.retryAfter == Moment(milliseconds: 1_700_000_600_000))
        #expect(fixture.client.budget.remaining(.requestTest) == 0)
        #expect(fixture.client.budget.remaining(.transactionInfo) > 1)

        // Within the deadline there will be no turn, so there is no use in waiting, or in asking Apple.
        let again = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(again?.code == .rateLimited)
        #expect(again?.retryAfter.map { $0 >= Moment(milliseconds: 1_700_000_600_000) } == true)
        #expect(transport.requests.count == 1)
        _ = try await fixture.client.transactionInfo("1")

        fixture.quick.advance(by: .seconds(605))
        _ = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(transport.requests.count > 2)
    }

    @Test(
        "a moment that makes no sense is bounded",
        arguments: [
            (nil, 10_000), ("30", 10_000), ("1700000000", 10_000), ("soon", 10_000), ("-5", 10_000),
            (Self.moment(in: -1), 10_000), (Self.moment(in: 30 * 86_400_000), 3_600_000),
            ("9223372036854775807", 3_600_000), ("99999999999999999999", 10_000),
        ] as [(String?, Int64)])
    func boundedPause(_ retryAfter: String?, _ pause: Int64) async throws {
        let transport = ScriptedTransport([.error(4_290_000, retryAfter: retryAfter)])
        let fixture = try ServerAPIFixture(transport) { $0.attempts = 1 }
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(error?.retryAfter == Moment(milliseconds: 1_700_000_000_000 + pause))
    }

    // MARK: Form

    @Test(arguments: [AppStoreEnvironment.xcode, .localTesting, AppStoreEnvironment(rawValue: "Moonbase")])
    func refusesEnvironmentsWithoutAnAPI(_ environment: AppStoreEnvironment) throws {
        #expect(throws: AppStoreConfigurationError.self) {
            try ServerAPIFixture(
                ScriptedTransport(json: "{}"),
                account: ServerAPIAccount(bundleID: BundleID(rawValue: "b"), environment: environment))
        }
        #expect(ServerAPIAccount.appleBaseURL(in: environment) == nil)
    }

    @Test(arguments: [
        "", "api.example.com", "ftp://a", "https://", "https:///x", "https://a?b", "https://u@a", "https://a b",
    ])
    func refusesURLs(_ url: String) throws {
        #expect(throws: AppStoreConfigurationError.self) {
            try ServerAPIFixture(ScriptedTransport(json: "{}"), baseURL: url)
        }
    }

    @Test func describesItself() {
        let error = ServerAPIError(.refused, "Invalid transaction id.", appleCode: 4_000_006, status: 400)
        #expect("\(error)" == "refused: Invalid transaction id. (HTTP 400, Apple's code 4000006)")
    }
}
