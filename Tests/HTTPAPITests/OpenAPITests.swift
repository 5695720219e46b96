import HTTPAPI
import HTTPTypes
import SubscriptionRuntime
import Testing

/// `proto/openapi.yaml` says what the router does, no more and no less.
@Suite struct OpenAPITests {
    private let document: OpenAPIDocument

    init() throws { self.document = try OpenAPIDocument() }

    @Test func bothHaveTheSameRequests() {
        let described = self.document.operations.map(\.name)

        #expect(described.count == Set(described).count)
        #expect(Set(described) == Set(Route.all.map { "\($0.method) \($0.path)" }))
    }

    @Test(arguments: Route.all.map { "\($0.method) \($0.path)" })
    func parametersAndAccessAgree(_ name: String) throws {
        let route = try #require(Route.all.first { "\($0.method) \($0.path)" == name })
        let operation = try #require(self.document.operations.first { $0.name == name })

        #expect(operation.queryParameters == Set(route.parameters))
        #expect(operation.text.contains("requestBody:") == route.takesBody)
        #expect(operation.text.contains("second listener has this request too") == route.isOutside)
        switch route.access {
        case .open, .signature: #expect(operation.text.contains("security: []"))
        case .scope(let scope): #expect(operation.text.contains("Scope `\(scope.rawValue)`"))
        }
    }

    @Test(arguments: ["atLeast", "lastEventId", "after"])
    func cursorsMayBeAsLongAsTheyAre(_ parameter: String) {
        #expect(self.document.longestTexts[parameter] == SubscriptionService.longestCursor)
    }

    @Test func everyProblemCodeIsListed() {
        let codes = ServiceError.Code.allCases.map(\.rawValue) + ProblemCode.allCases.map(\.rawValue)

        #expect(codes.count == Set(codes).count)
        #expect(self.document.problemCodes == Set(codes))
    }
}
