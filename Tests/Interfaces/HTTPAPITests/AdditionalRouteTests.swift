import HTTPAPI
import Testing

/// Routes that measurements and embedders add.
@Suite struct AdditionalRouteTests {
    private static let echo = Route(post: "/extra") { body in Array("{\"got\":".utf8) + body + Array("}".utf8) }

    @Test func areServedAsTheContractsAre() async throws {
        try await Node.run(additionalRoutes: [Self.echo]) { node in
            let json = ["Content-Type": "application/json"]
            let answer = try await node.send("POST", "/extra", headers: json, body: "[1]")
            let wrongType = try await node.send("POST", "/extra", headers: ["Content-Type": "text/plain"], body: "x")
            let other = try await node.send("POST", "/v1/check", headers: json, body: "{\"checks\":[]}")

            #expect(answer.status == 200)
            #expect(answer.json["got"] as? [Int] == [1])
            #expect(answer.headers["x-request-id"] != nil)
            #expect(wrongType.status == 415)
            #expect(other.status == 200)
        }
    }

    @Test func needTheReadScope() async throws {
        let configuration = Configuration.patient(tokens: TestTokens.all)
        try await Node.run(configuration: configuration, additionalRoutes: [Self.echo]) { node in
            let answer = try await node.send(
                "POST", "/extra", headers: ["Content-Type": "application/json"], body: "[1]")

            #expect(answer.status == 401)
        }
    }
}
