import AppStore
import Subscriptions
import Testing

/// What goes out, line by line, as Apple documents the requests of its Server API.
@Suite struct ServerAPIRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let endpoint: ServerAPIEndpoint
        let request: String
        var body: String?
        var answer = "{}"
        let call: @Sendable (ServerAPIClient) async throws(ServerAPIError) -> Void

        var testDescription: String { self.endpoint.rawValue }
    }

    static let history = NotificationHistoryQuery(
        startDate: Moment(milliseconds: 1_698_148_900_000), endDate: Moment(milliseconds: 1_698_148_950_000))

    static let cases: [Case] = [
        Case(endpoint: .statuses, request: "GET /inApps/v1/subscriptions/1234?status=1&status=4") {
            client throws(ServerAPIError) in
            _ = try await client.subscriptionStatuses(of: "1234", statuses: [.active, .billingGracePeriod])
        },
        Case(
            endpoint: .transactionInfo, request: "GET /inApps/v1/transactions/1234",
            answer: #"{"signedTransactionInfo":"a.b.c"}"#
        ) { client throws(ServerAPIError) in _ = try await client.transactionInfo("1234") },
        Case(endpoint: .transactionHistory, request: "GET /inApps/v2/history/1234?sort=ASCENDING") {
            client throws(ServerAPIError) in _ = try await client.transactionHistory(of: "1234")
        },
        Case(
            endpoint: .transactionHistory,
            request: "GET /inApps/v2/history/1234?revision=r%201%26&startDate=123455&endDate=123456"
                + "&productId=p.1&productId=p.2&productType=CONSUMABLE&productType=AUTO_RENEWABLE"
                + "&subscriptionGroupIdentifier=g1&subscriptionGroupIdentifier=g2&inAppOwnershipType=FAMILY_SHARED"
                + "&sort=DESCENDING&revoked=false"
        ) { client throws(ServerAPIError) in
            var filter = HistoryFilter()
            filter.startDate = Moment(milliseconds: 123_455)
            filter.endDate = Moment(milliseconds: 123_456)
            filter.productIDs = ["p.1", "p.2"]
            filter.productTypes = ["CONSUMABLE", "AUTO_RENEWABLE"]
            filter.subscriptionGroupIdentifiers = ["g1", "g2"]
            filter.ownershipType = "FAMILY_SHARED"
            filter.ascending = false
            filter.revoked = false
            _ = try await client.transactionHistory(of: "1234", filter, revision: "r 1&")
        },
        Case(
            endpoint: .appTransaction, request: "GET /inApps/v1/transactions/appTransactions/1234",
            answer: #"{"signedAppTransactionInfo":"a.b.c"}"#
        ) { client throws(ServerAPIError) in _ = try await client.appTransaction(of: "1234") },
        Case(endpoint: .finishTransaction, request: "POST /inApps/v1/transactions/1234/finish", answer: "") {
            client throws(ServerAPIError) in try await client.finishTransaction("1234")
        },
        Case(
            endpoint: .setAppAccountToken, request: "PUT /inApps/v1/transactions/1234/appAccountToken",
            body: #"{"appAccountToken":"7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11"}"#, answer: ""
        ) { client throws(ServerAPIError) in
            try await client.setAppAccountToken("7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11", of: "1234")
        },
        Case(endpoint: .orderLookUp, request: "GET /inApps/v1/lookup/W002182", answer: #"{"status":1}"#) {
            client throws(ServerAPIError) in _ = try await client.lookUpOrder("W002182")
        },
        Case(endpoint: .refundHistory, request: "GET /inApps/v2/refund/lookup/1234?revision=r1") {
            client throws(ServerAPIError) in _ = try await client.refundHistory(of: "1234", revision: "r1")
        },
        Case(
            endpoint: .consumption, request: "PUT /inApps/v2/transactions/consumption/1234",
            body: #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#, answer: ""
        ) { client throws(ServerAPIError) in
            let information = ConsumptionInformation(
                customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false)
            try await client.sendConsumption(information, for: "1234")
        },
        Case(
            endpoint: .consumption, request: "PUT /inApps/v2/transactions/consumption/1234",
            body: #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"#
                + #""consumptionPercentage":50000,"refundPreference":"GRANT_PRORATED"}"#, answer: ""
        ) { client throws(ServerAPIError) in
            let information = ConsumptionInformation(
                customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true,
                consumptionPercentage: 50_000, refundPreference: .grantProrated)
            try await client.sendConsumption(information, for: "1234")
        },
        Case(
            endpoint: .extendRenewalDate, request: "PUT /inApps/v1/subscriptions/extend/1234",
            body: #"{"extendByDays":45,"extendReasonCode":1,"requestIdentifier":"fdf964a4"}"#
        ) { client throws(ServerAPIError) in
            let request = ExtensionRequest(days: 45, reason: .customerSatisfaction, requestIdentifier: "fdf964a4")
            _ = try await client.extendRenewalDate(of: "1234", request)
        },
        Case(
            endpoint: .massExtension, request: "POST /inApps/v1/subscriptions/extend/mass",
            body: #"{"requestIdentifier":"758883e8","extendByDays":9,"extendReasonCode":3,"productId":"p.1","#
                + #""storefrontCountryCodes":["USA","MEX"]}"#,
            answer: #"{"requestIdentifier":"758883e8"}"#
        ) { client throws(ServerAPIError) in
            let request = MassExtensionRequest(
                requestIdentifier: "758883e8", productID: "p.1", days: 9, reason: .serviceIssue,
                storefrontCountryCodes: ["USA", "MEX"])
            _ = try await client.extendRenewalDates(request)
        },
        Case(
            endpoint: .massExtension, request: "POST /inApps/v1/subscriptions/extend/mass",
            body: #"{"requestIdentifier":"758883e8","extendByDays":9,"extendReasonCode":0,"productId":"p.1"}"#,
            answer: #"{"requestIdentifier":"758883e8"}"#
        ) { client throws(ServerAPIError) in
            let request = MassExtensionRequest(
                requestIdentifier: "758883e8", productID: "p.1", days: 9, reason: .undeclared)
            _ = try await client.extendRenewalDates(request)
        },
        Case(
            endpoint: .massExtensionStatus, request: "GET /inApps/v1/subscriptions/extend/mass/p.1%2Fx/758883e8"
        ) { client throws(ServerAPIError) in
            _ = try await client.massExtensionStatus(productID: "p.1/x", requestIdentifier: "758883e8")
        },
        Case(
            endpoint: .notificationHistory, request: "POST /inApps/v1/notifications/history",
            body: #"{"startDate":1698148900000,"endDate":1698148950000}"#
        ) { client throws(ServerAPIError) in _ = try await client.notificationHistory(Self.history) },
        Case(
            endpoint: .notificationHistory,
            request: "POST /inApps/v1/notifications/history?paginationToken=a25%2B%2F%3D",
            body: #"{"startDate":1698148900000,"endDate":1698148950000,"notificationType":"SUBSCRIBED","#
                + #""notificationSubtype":"INITIAL_BUY","transactionId":"999","onlyFailures":true}"#
        ) { client throws(ServerAPIError) in
            var query = Self.history
            query.notificationType = "SUBSCRIBED"
            query.notificationSubtype = "INITIAL_BUY"
            query.transactionID = "999"
            query.onlyFailures = true
            _ = try await client.notificationHistory(query, paginationToken: "a25+/=")
        },
        Case(
            endpoint: .requestTest, request: "POST /inApps/v1/notifications/test",
            answer: #"{"testNotificationToken":"t"}"#
        ) { client throws(ServerAPIError) in _ = try await client.requestTestNotification() },
        Case(endpoint: .testStatus, request: "GET /inApps/v1/notifications/test/8cd2974c_16567") {
            client throws(ServerAPIError) in _ = try await client.testNotificationStatus("8cd2974c_16567")
        },
    ]

    @Test("sends what Apple documents", arguments: Self.cases) func sends(_ example: Case) async throws {
        let transport = ScriptedTransport(json: example.answer)
        let fixture = try ServerAPIFixture(transport, baseURL: "https://api.example.com:8443/prefix/")
        try await example.call(fixture.client)
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        let target = request.path + (request.query.isEmpty ? "" : "?" + request.query)
        #expect("\(request.method.rawValue) \(target)" == example.request)
        #expect(request.url == "https://api.example.com:8443/prefix" + target)
        #expect(request.bodyText == example.body)
        #expect(request.header("Accept") == "application/json")
        #expect(request.header("User-Agent")?.isEmpty == false)
        #expect(request.header("Content-Type") == (example.body == nil ? nil : "application/json"))
        #expect(request.header("Authorization")?.hasPrefix("Bearer ") == true)
        #expect(fixture.observer.answers == ["\(example.endpoint.rawValue) 200"])
    }

    @Test func everyEndpointHasACase() {
        #expect(Set(Self.cases.map(\.endpoint)) == Set(ServerAPIEndpoint.allCases))
    }

    @Test(
        "sends nothing for what can be no id",
        arguments: ["", " ", "12 34", "1234\n", "..", ".", "12\u{0}", "é", String(repeating: "1", count: 129)])
    func refusesIDs(_ id: String) async throws {
        let transport = ScriptedTransport(json: "{}")
        let client = try ServerAPIFixture(transport).client
        let consumption = ConsumptionInformation(
            customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false)
        let token = "7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11"
        let extend = ExtensionRequest(days: 1, reason: .other, requestIdentifier: "r")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.subscriptionStatuses(of: id) },
            { _ = try await client.transactionInfo(id) },
            { _ = try await client.transactionHistory(of: id) },
            { _ = try await client.appTransaction(of: id) },
            { try await client.finishTransaction(id) },
            { try await client.setAppAccountToken(token, of: id) },
            { _ = try await client.lookUpOrder(id) },
            { _ = try await client.refundHistory(of: id) },
            { try await client.sendConsumption(consumption, for: id) },
            { _ = try await client.extendRenewalDate(of: id, extend) },
            { _ = try await client.massExtensionStatus(productID: id, requestIdentifier: "r") },
            { _ = try await client.massExtensionStatus(productID: "p", requestIdentifier: id) },
            { _ = try await client.testNotificationStatus(id) },
        ]
        for call in calls {
            let failure = await #expect(throws: ServerAPIError.self) { try await call() }
            #expect(failure?.code == .refused)
            #expect(failure?.status == nil)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func refusesWhatAppleWouldRefuse() async throws {
        let transport = ScriptedTransport(json: "{}")
        let client = try ServerAPIFixture(transport).client
        var consumption = ConsumptionInformation(
            customerConsented: false, deliveryStatus: .delivered, sampleContentProvided: false)
        let refused = [
            await ServerAPIFixture.failure { () throws(ServerAPIError) in
                try await client.sendConsumption(consumption, for: "1")
            },
            await ServerAPIFixture.failure { () throws(ServerAPIError) in
                try await client.setAppAccountToken("customer 1", of: "1")
            },
            await ServerAPIFixture.failure { () throws(ServerAPIError) in
                try await client.extendRenewalDate(
                    of: "1", ExtensionRequest(days: 91, reason: .other, requestIdentifier: "r"))
            },
            await ServerAPIFixture.failure { () throws(ServerAPIError) in
                try await client.extendRenewalDate(
                    of: "1", ExtensionRequest(days: 1, reason: .other, requestIdentifier: ""))
            },
        ]
        #expect(refused.map { $0?.code } == [.refused, .refused, .refused, .refused])

        consumption.customerConsented = true
        consumption.deliveryStatus = .wrongItem
        for percentage: Int64 in [-1, 1, 100_000, 100_001] {
            consumption.consumptionPercentage = percentage
            let wrong = consumption
            let failure = await ServerAPIFixture.failure { () throws(ServerAPIError) in
                try await client.sendConsumption(wrong, for: "1")
            }
            #expect(failure?.code == .refused)
        }
        #expect(transport.requests.isEmpty)
        consumption.consumptionPercentage = 0
        try await client.sendConsumption(consumption, for: "1")
        #expect(transport.requests.count == 1)
    }
}
