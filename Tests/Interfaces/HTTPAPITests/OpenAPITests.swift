import HTTPAPI
import HTTPTypes
import ServiceContract
import SubscriptionService
import Testing
import Yams

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
        #expect(operation.text.contains("second listener has this request too") == route.isPublicListener)
        switch route.access {
        case .open, .signature: #expect(operation.text.contains("security: []"))
        case .scope(let scope): #expect(operation.text.contains("Scope `\(scope.rawValue)`"))
        }
    }

    /// 400, 401, 431 and their like, which any request may get.
    @Test func `every request says what is refused`() {
        for operation in self.document.operations {
            let problem = "default: { $ref: \"#/components/responses/Problem\" }"
            #expect(operation.text.contains(problem), "\(operation.name)")
        }
    }

    /// `{ description: One, two }` is two members, and the second has no value.
    @Test func `no sentence is cut at its comma`() throws {
        let root = try #require(try Yams.compose(yaml: self.document.text))

        #expect(Self.membersWithoutValue(of: root) == [])
    }

    private static func membersWithoutValue(of node: Yams.Node) -> [String] {
        switch node {
        case .mapping(let members):
            members.flatMap { name, value in
                (value.null == nil ? [] : [name.string ?? ""]) + self.membersWithoutValue(of: value)
            }
        case .sequence(let elements): elements.flatMap(self.membersWithoutValue)
        case .scalar, .alias: []
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
