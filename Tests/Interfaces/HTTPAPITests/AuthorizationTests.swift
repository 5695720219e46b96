import HTTPAPI
import HTTPTypes
import Logging
import SubscriptionService
import Testing

@Suite struct AuthorizationTests {
    private static let protected = Configuration.patient(tokens: TestTokens.all)
    private static let unauthorized = [401, 403]

    /// Who gets through to which route; what the route then says is another matter.
    @Test(arguments: Route.all.map { "\($0.method) \($0.path)" })
    func scopesOpenWhatTheyShould(_ name: String) async throws {
        let route = try #require(Route.all.first { "\($0.method) \($0.path)" == name })
        let path = route.examplePath
        try await Node.run(configuration: Self.protected) { node in
            let none = try await node.send(route.method.rawValue, path)
            let unknown = try await node.send(route.method.rawValue, path, token: "guess")
            guard case .scope(let scope) = route.access else {
                #expect(!Self.unauthorized.contains(none.status))
                #expect(!Self.unauthorized.contains(unknown.status))
                return
            }
            for refused in [none, unknown] {
                #expect(refused.status == 401)
                #expect(refused.code == "unauthenticated")
                #expect(refused.headers["www-authenticate"] == #"Bearer realm="perennial""#)
            }
            for token in Scope.allCases {
                let answer = try await node.send(route.method.rawValue, path, token: token.rawValue)
                if token == scope || token == .admin {
                    #expect(!Self.unauthorized.contains(answer.status))
                } else {
                    #expect(answer.status == 403)
                    #expect(answer.code == "forbidden")
                }
            }
        }
    }

    @Test func evidenceIsForAdministrators() async throws {
        try await Node.run(configuration: Self.protected) { node async throws in
            let path = "/v1/subscriptions/1/events?evidence=true"

            #expect(try await node.send("GET", path, token: "read").status == 403)
            #expect(try await node.send("GET", path, token: "admin").status != 403)
            #expect(
                try await node.send("GET", "/v1/subscriptions/1/events?evidence=false", token: "read").status != 403)
        }
    }

    @Test(arguments: ["Bearer", "Bearer ", "Basic cmVhZA==", "read", "Bearer read read", "Bearer\tread"])
    func takesBearerTokensOnly(_ header: String) async throws {
        try await Node.run(configuration: Self.protected) { node async throws in
            #expect(try await node.send("GET", "/metrics", headers: ["Authorization": header]).status == 401)
        }
    }

    @Test func theSchemeMayBeWrittenAnyWay() async throws {
        try await Node.run(configuration: Self.protected) { node async throws in
            #expect(try await node.send("GET", "/metrics", headers: ["Authorization": "bearer read"]).status == 200)
        }
    }

    @Test(arguments: ["Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Forwarded-Anything", "Via", "X-Real-IP"])
    func withoutTokensAProxyOpensNothing(_ header: String) async throws {
        try await Node.run { node in
            for route in Route.all {
                let path = route.examplePath
                let answer = try await node.send(route.method.rawValue, path, headers: [header: "for=192.0.2.1"])

                #expect((answer.status == 403) == (route.access != .signature))
                #expect((answer.code == "forwardedRequest") == (route.access != .signature))
            }
        }
        try await Node.run(configuration: Self.protected) { node async throws in
            #expect(try await node.send("GET", "/metrics", token: "read", headers: [header: "x"]).status == 200)
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "example.com", "127.example.com", "127.0.0.1.example.com"])
    func withoutTokensOnlyLoopbackIsBound(_ host: String) async throws {
        let configuration = Configuration.patient(main: .init(host: host, port: 0))

        let error = await #expect(throws: ConfigurationError.self) {
            try await Node.run(configuration: configuration) { _ in }
        }
        #expect(error?.description == "http.host: without http.tokens the API listens on loopback only, not on \(host)")
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func loopbackNeedsNoTokens(_ host: String) async throws {
        try await Node.run(configuration: Configuration.patient(main: .init(host: host, port: 0))) { node in
            #expect(node.port > 0)
        }
    }

    private struct BadToken: Sendable {
        var name = "a"
        var sha256 = String(repeating: "0", count: 64)
        var scopes: Set<Scope> = [.read]
        var complaint: String
    }

    @Test(arguments: [
        BadToken(name: "", complaint: "has no name"),
        BadToken(sha256: "", complaint: "64 hexadecimal digits"),
        BadToken(sha256: String(repeating: "0", count: 63), complaint: "64 hexadecimal digits"),
        BadToken(sha256: String(repeating: "g", count: 64), complaint: "64 hexadecimal digits"),
        BadToken(scopes: [], complaint: "no scopes"),
    ])
    private func tokensThatCannotWorkAreRefused(_ bad: BadToken) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Token(name: bad.name, sha256: bad.sha256, scopes: bad.scopes)
        }

        #expect(error?.description.contains(bad.complaint) == true)
    }
}
