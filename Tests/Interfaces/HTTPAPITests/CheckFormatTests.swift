import Customers
import Entitlements
import EventLog
import Foundation
import HTTPAPI
import ServiceContract
import SubscriptionService
import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

/// Checks as JSON and as Protocol Buffers: SwiftProtobuf reads what we write by hand, and writes what we read.
@Suite struct CheckFormatTests {
    // MARK: Requests

    @Test func bothFormatsAskTheSame() throws {
        let json = """
            {"consistency": "durable", "checks": [
                {"subscription": "2000000000000001"}, {"subscription": "2", "entitlement": "pro"},
                {"subscription": "3", "entitlement": "pro", "environment": "Sandbox", "bundleId": "com.example.app"},
                {"subscription": "a b"}, {"subscription": ""}, {"subscription": "4", "environment": "Moon"},
                {"subscription": "5", "bundleId": "a b"}, {"subscription": "6", "environment": "LocalTesting"},
                {"purchase": "7", "entitlement": "pro"}, {"subscription": "8", "purchase": "8"},
                {"customer": "u/é", "entitlement": "pro", "environment": "Sandbox"}, {"customer": "v"},
                {"customer": "w", "bundleId": "com.example.app"}, {"customer": "x", "purchase": "9"}
            ]}
            """
        let message = ProtoCheckRequest.with { request in
            request.consistency = .durable
            request.checks = [
                .with { $0.subscription = "2000000000000001" },
                .with { ($0.subscription, $0.entitlement) = ("2", "pro") },
                .with {
                    ($0.subscription, $0.entitlement, $0.environment) = ("3", "pro", .sandbox)
                    $0.bundleID = "com.example.app"
                },
                .with { $0.subscription = "a b" }, ProtoCheck(),
                .with { ($0.subscription, $0.environment) = ("4", .other) },
                .with { ($0.subscription, $0.bundleID) = ("5", "a b") },
                .with { ($0.subscription, $0.environment) = ("6", .localTesting) },
                .with { ($0.purchase, $0.entitlement) = ("7", "pro") },
                .with { ($0.subscription, $0.purchase) = ("8", "8") },
                .with { ($0.customer, $0.entitlement, $0.environment) = ("u/é", "pro", .sandbox) },
                .with { $0.customer = "v" }, .with { ($0.customer, $0.bundleID) = ("w", "com.example.app") },
                .with { ($0.customer, $0.purchase) = ("x", "9") },
            ]
        }
        let fromJSON = try PostedChecks(.json, Array(json.utf8))
        let fromProtobuf = try PostedChecks(.protobuf, Array(try message.serializedData()))

        #expect(fromProtobuf.questions == fromJSON.questions)
        #expect(fromProtobuf.questions.map(\.kind) == Array(repeating: .subscription, count: 4) + [.purchase])
        #expect(fromProtobuf.consistency == .durable)
        #expect(fromProtobuf.refusedPlaces == fromJSON.refusedPlaces)
        #expect(fromProtobuf.refusedPlaces == [3, 4, 5, 6, 9, 12, 13])
        #expect(fromProtobuf.customers.map(\.place) == [10, 11])
        #expect(fromJSON.customers.map(\.place) == [10, 11])
        #expect(fromProtobuf.customers.map(\.question) == fromJSON.customers.map(\.question))
    }

    @Test func `both formats answer the same about a customer, in its place`() throws {
        let key = StreamKey(
            kind: .purchase, id: String(repeating: "7", count: 128), environment: .sandbox,
            bundleID: BundleID(rawValue: "com.example.app"))
        let answer = CustomerAnswer(
            entitled: true, entitlement: "pro", state: .stream(.grace), code: CohortCode(state: -5, offer: 2),
            validUntil: Moment(milliseconds: 1_777_593_600_123), productID: "pro.monthly", rank: -3,
            environment: .sandbox, by: .stream(key), ownership: "FAMILY_SHARED", incomplete: true)
        let body =
            #"{"checks":[{},{"customer":"u"},{"subscription":"1"},{"customer":"v"},{"customer":"w"},{"customer":"x"}]}"#
        let posted = try PostedChecks(.json, Array(body.utf8))
        let answers = CheckAnswers(
            posted: posted,
            response: CheckResponse(
                results: [.refused(.ambiguous)], asOf: Moment(milliseconds: 1), stale: false, token: "t"),
            customers: [
                .answer(answer, .known), .answer(.nothing(of: nil), .unknown), .refused(.unknownEntitlement),
                .answer(.nothing(of: nil), .moved(to: try #require(CustomerID("über-1")))),
            ])
        let read = try ProtoCheckResponse(serializedBytes: answers.body(as: .protobuf))
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(answers.body(as: .json))) as? [String: Any])
        let results = try #require(json["results"] as? [[String: Any]])

        #expect(read.results.map(\.error) == ["invalidCheck", "", "ambiguous", "", "unknownEntitlement", ""])
        let result = read.results[1]
        #expect(result.entitled && result.state == .grace && result.code == -52 && result.incomplete)
        #expect(result.validUntil == 1_777_593_600_123)
        #expect(read.products[Int(result.product) - 1] == "pro.monthly")
        #expect(result.entitlement == "pro" && result.rank == -3 && result.environment == .sandbox)
        #expect(result.by == .byPurchase(key.id) && result.ownership == "FAMILY_SHARED")
        #expect(read.results[3].reason == .unknownCustomer && !read.results[3].hasRank && read.results[3].by == nil)
        #expect(read.results[5].reason == .customerMoved && read.results[5].movedTo == "über-1")
        #expect(results[5]["reason"] as? String == "customerMoved" && results[5]["movedTo"] as? String == "über-1")
        #expect(results[1]["rank"] as? Int == -3 && results[1]["code"] as? String == "-5.2")
        #expect((results[1]["by"] as? [String: Any])?["id"] as? String == key.id)
        #expect(results[3]["reason"] as? String == "unknownCustomer")
        #expect((results[4]["error"] as? [String: Any])?["code"] as? String == "unknownEntitlement")
    }

    @Test func refusesAConsistencyOfANewerSchema() throws {
        #expect(try PostedChecks(.protobuf, [0x10, 1]).consistency == .local)
        #expect(throws: (any Error).self) { try PostedChecks(.protobuf, [0x10, 99]) }
    }

    @Test("a condition that is written in another form is not passed over")
    func refusesKnownFieldsOfAnotherType() throws {
        // the consistency as bytes; a check's entitlement and its bundle as numbers
        #expect(throws: (any Error).self) { try PostedChecks(.protobuf, [0x12, 1, 2]) }
        for field in [2, 4] as [UInt8] {
            let posted = try PostedChecks(.protobuf, [0x0A, 5, 0x0A, 1, UInt8(ascii: "1"), field << 3, 1])
            #expect(posted.refusedPlaces == [0])
        }
        // a number that the schema does not have
        #expect(try PostedChecks(.protobuf, [0x0A, 5, 0x0A, 1, UInt8(ascii: "1"), 3 << 3, 9]).refusedPlaces == [0])
    }

    @Test("an empty name is not the same as none, which any product would satisfy")
    func refusesAnEmptyName() throws {
        let posted = try PostedChecks(.json, Array(#"{"checks":[{"subscription":"1","entitlement":""}]}"#.utf8))
        #expect(posted.refusedPlaces == [0])
    }

    @Test func takesFieldsOfANewerSchema() throws {
        // field 15 as a number, 16 as bytes, 17 and 18 of fixed width
        let unknown: [UInt8] = [15 << 3, 0x96, 1, 0x82, 1, 2, 7, 7, 0x89, 1] + [UInt8](repeating: 1, count: 8)
        let fixed: [UInt8] = [0x95, 1, 1, 2, 3, 4]
        let check: [UInt8] = [0x0A, 1, UInt8(ascii: "1")] + unknown + fixed
        let body = unknown + [0x0A, UInt8(check.count)] + check
        let posted = try PostedChecks(.protobuf, body)

        #expect(posted.questions == [CheckRequest(stream: StreamReference(id: "1"))])
        #expect(posted.consistency == .local)
    }

    @Test func refusesWhatIsNoMessage() throws {
        let good = Array(try ProtoCheckRequest.with { $0.checks = [.with { $0.subscription = "1" }] }.serializedData())
        let bad: [[UInt8]] = [
            [0x0A], [0x0A, 5, 1], [0x0B], [0], [0x0A, 2, 0x0A, 9], [UInt8](repeating: 0xFF, count: 11),
            [0x0A] + [UInt8](repeating: 0xFF, count: 9) + [1], good.dropLast(), [0x7D, 1, 2],
        ]
        for body in bad { #expect(throws: (any Error).self, "\(body)") { try PostedChecks(.protobuf, body) } }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let body = (0..<Int.random(in: 0...24, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            _ = try? PostedChecks(.protobuf, body)
        }
    }

    // MARK: Answers

    private static let products = ["pro", "a\"b\\\u{1}", "ü", "pro.yearly"]

    /// Every state, reason and product there is, and dates near the edges of their encodings.
    private static let verdicts: [CheckResult] = {
        var results: [CheckResult] = ServiceError.Code.allCases.prefix(3).map { .refused($0) }
        var version: Int64 = 0
        for state in [nil] + LifecycleState.allCases {
            for reason in [nil] + CheckVerdict.Reason.allCases {
                for until in [nil, 0, 1, 127, 128, 1_777_593_600_000, -1, 253_402_300_799_999] as [Int64?] {
                    version = version == 0 ? 1 : version * 3 % 1_000_003
                    results.append(
                        .verdict(
                            CheckVerdict(
                                entitled: version % 2 == 0, state: state,
                                code: CohortCode(state: Int(version % 15) - 9, offer: Int(version % 6)),
                                validUntil: until.map(Moment.init(milliseconds:)),
                                productID: version % 5 == 0 ? nil : Self.products[Int(version % 4)],
                                version: StreamVersion(rawValue: version), reason: reason)))
                }
            }
        }
        return results
    }()

    @Test func bothFormatsAnswerTheSame() throws {
        let checks = (0..<Self.verdicts.count + 2).map { number in
            [0, 100].contains(number) ? "{}" : #"{"subscription":"\#(number)"}"#
        }
        let posted = try PostedChecks(.json, Array(#"{"checks":[\#(checks.joined(separator: ","))]}"#.utf8))
        let response = CheckResponse(
            results: Self.verdicts, asOf: Moment(milliseconds: 1_777_593_600_123), stale: true, token: "AbC-_")
        let answers = CheckAnswers(posted: posted, response: response)

        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(answers.body(as: .json))) as? [String: Any])
        let message = try ProtoCheckResponse(serializedBytes: answers.body(as: .protobuf))
        let results = try #require(json["results"] as? [[String: Any]])
        #expect(results.count == checks.count)
        #expect(message.results.count == checks.count)
        #expect(message.asOf == response.asOf.milliseconds)
        #expect(json["asOf"] as? String == response.asOf.rfc3339)
        #expect(message.stale)
        #expect(message.token == "AbC-_")
        #expect(Set(message.products).count == message.products.count)
        for (object, result) in zip(results, message.results) {
            #expect(Self.object(result, message) == object as NSDictionary)
        }
        // What SwiftProtobuf writes is what we wrote.
        #expect(Array(try message.serializedData()) == answers.body(as: .protobuf))
    }

    /// A result as its JSON has it.
    private static func object(_ result: ProtoCheckResult, _ message: ProtoCheckResponse) -> NSDictionary {
        guard result.error.isEmpty else { return ["error": ["code": result.error]] }
        let states: [ProtoCheckState: String] = [
            .subscribed: "subscribed", .grace: "grace", .retry: "retry", .expired: "expired", .revoked: "revoked",
            .owned: "owned",
        ]
        let reasons: [ProtoCheckReason: String] = [
            .unknownSubscription: "unknownSubscription", .otherProduct: "otherProduct",
            .unknownPurchase: "unknownPurchase", .consumable: "consumable",
        ]
        let (whole, tenths) = result.code.quotientAndRemainder(dividingBy: 10)
        var object: [String: Any] = [
            "entitled": result.entitled, "state": states[result.state] as Any? ?? NSNull(),
            "code": "\(whole).\(tenths.magnitude)", "version": result.version,
            "validUntil": result.hasValidUntil ? Moment(milliseconds: result.validUntil).rfc3339 : NSNull(),
            "productId": result.product == 0 ? NSNull() : message.products[Int(result.product) - 1],
        ]
        object["reason"] = reasons[result.reason]
        return object as NSDictionary
    }

    // MARK: Over HTTP

    @Test(arguments: [
        ("application/x-protobuf", nil, true), ("application/protobuf", "*/*", true),
        ("Application/X-Protobuf; messageType=perennial.v1.CheckRequest", "application/json", false),
        ("application/x-protobuf", "text/html, application/protobuf;q=0.9", true), ("application/x-protobuf", "", true),
    ])
    func theAnswerIsWrittenAsAskedFor(_ type: String, _ accept: String?, _ isProtobuf: Bool) async throws {
        try await Node.run { node in
            // an id of ASCII alone, so that the body is text for the test's connection
            let body = String(
                decoding: try ProtoCheckRequest.with { $0.checks = [.with { $0.subscription = "404" }] }
                    .serializedData(),
                as: UTF8.self)
            var headers = ["Content-Type": type]
            headers["Accept"] = accept
            let answer = try await node.send("POST", "/v1/check", headers: headers, body: body)

            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == (isProtobuf ? "application/x-protobuf" : "application/json"))
            if isProtobuf {
                let message = try ProtoCheckResponse(serializedBytes: answer.bytes)
                #expect(message.results.map(\.reason) == [.unknownSubscription])
            } else {
                #expect((answer.json["results"] as? [[String: Any]])?.count == 1)
            }
        }
    }

    @Test func jsonIsAnsweredInProtobufWhereThatIsAskedFor() async throws {
        try await Node.run { node in
            let answer = try await node.send(
                "POST", "/v1/check", headers: ["Accept": "application/x-protobuf"],
                body: #"{"checks":[{"subscription":"404"}]}"#)

            #expect(answer.headers["content-type"] == "application/x-protobuf")
        }
    }

    @Test func problemsStayJSON() async throws {
        try await Node.run { node in
            let answer = try await node.send(
                "POST", "/v1/check", headers: ["Content-Type": "application/x-protobuf"], body: "\u{B}")

            #expect(answer.status == 400)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.code == "malformedBody")
            let other = try await node.send(
                "POST", "/v1/transactions", headers: ["Content-Type": "application/x-protobuf"], body: "")
            #expect(other.status == 415)
        }
    }
}
