import HTTPAPI
import HTTPTypes
import Testing

/// What a web page can have a browser send on a machine that reaches a node.
@Suite struct BrowserGuardTests {
    private static let protected = Configuration.patient(
        outside: .init(host: "127.0.0.1"), tokens: TestTokens.all)
    private static let open = Configuration.patient(outside: .init(host: "127.0.0.1"))

    /// What the node answers to just these lines.
    private func answer(
        _ method: String, _ path: String, _ lines: String..., port: Int
    ) async throws -> HTTPConnection.Answer {
        try await HTTPConnection.with(port: port) { [lines] in
            let head = ["\(method) \(path) HTTP/1.1"] + lines + (method == "GET" ? [] : ["Content-Length: 0"])
            try await $0.send(head.joined(separator: "\r\n") + "\r\n\r\n")
            return try await $0.answer()
        }
    }

    @Test(
        arguments: [
            "", "Host: a\r\nHost: a", "Host:", "Host: a b", "Host: a:b", "Host: a:65536", "Host: a:+1", "Host: [::1",
            "Host: ::1", "Host: [127.0.0.1]", "Host: [::1]x", "Host: ä", "Host: a/b", "Host: user@a", "Host: :80",
        ])
    func `a request names one host`(_ line: String) async throws {
        for configuration in [Self.open, Self.protected] {
            try await Node.run(configuration: configuration) { node in
                for port in [node.port, try #require(node.outsidePort)] {
                    for path in ["/livez", "/nowhere"] {
                        let answer = try await self.answer("GET", path, line.isEmpty ? "X: y" : line, port: port)

                        #expect(answer.status == 400)
                        #expect(answer.code == "malformedRequest")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:8080", "127.255.255.254:", "[::1]", "[0:0:0:0:0:0:0:1]:80",
    ])
    func `without tokens a node answers to this machine`(_ host: String) async throws {
        try await Node.run { node async throws in
            #expect(try await self.answer("GET", "/v1/events", "Host: \(host)", port: node.port).status == 200)
        }
    }

    /// Names that a page's owner has lead to the loopback address.
    @Test(arguments: [
        "rebound.example", "rebound.example:8080", "localhost.rebound.example", "127.0.0.1.rebound.example", "local",
        "127.1", "2130706433", "0.0.0.0", "10.0.0.1", "128.0.0.1", "[::]", "[::2]", "[::ffff:127.0.0.1]",
    ])
    func `without tokens a node answers to no other host`(_ host: String) async throws {
        try await Node.run { node in
            for route in Route.all {
                let answer = try await self.answer(
                    route.method.rawValue, route.examplePath, "Host: \(host)", "Content-Type: application/json",
                    port: node.port)

                #expect((answer.status == 403) == (route.access != .signature))
                #expect((answer.code == "foreignHost") == (route.access != .signature))
            }
        }
    }

    @Test func `with tokens a node answers to any host`() async throws {
        try await Node.run(configuration: Self.protected) { node async throws in
            #expect(
                try await self.answer(
                    "GET", "/metrics", "Host: node.example", "Authorization: Bearer read", port: node.port
                ).status == 200)
        }
    }

    @Test(arguments: [
        "Origin: https://other.example", "Origin: null", "Origin: http://localhost:3000", "Origin: localhost",
        "Origin:",
        "Origin: http://localhost, http://other.example", "Origin: http://localhost.other.example",
        "Origin: file://localhost", "Sec-Fetch-Site: cross-site",
        "Origin: http://localhost\r\nSec-Fetch-Site: cross-site",
    ])
    func `pages of other origins change nothing`(_ lines: String) async throws {
        for configuration in [Self.open, Self.protected] {
            try await Node.run(configuration: configuration) { node in
                for route in Route.all where route.method != .get {
                    let answer = try await self.answer(
                        route.method.rawValue, route.examplePath, "Host: localhost", lines,
                        "Content-Type: application/json", "Authorization: Bearer admin", port: node.port)

                    #expect(answer.status == 403, "\(route.path)")
                    #expect(answer.code == "crossSiteRequest")
                }
                let read = try await self.answer(
                    "GET", "/v1/events", "Host: localhost", lines, "Authorization: Bearer read", port: node.port)
                #expect(read.status == 200)
            }
        }
    }

    @Test(arguments: [
        ("node.example", "Origin: https://node.example"), ("node.example", "Origin: http://node.example"),
        ("node.example:443", "Origin: https://node.example"), ("NODE.example", "Origin: https://node.EXAMPLE"),
        ("node.example:8443", "Origin: https://node.example:8443"), ("[::1]:1", "Origin: http://[::1]:1"),
        ("127.0.0.1:8080", "Origin: https://perennial.example"),
        ("node.example", "Sec-Fetch-Site: same-origin"), ("node.example", "Sec-Fetch-Site: none"),
    ])
    func `a page of the node's own origin may`(_ host: String, _ line: String) async throws {
        var configuration = Self.protected
        configuration.publicOrigin = Origin(ofURL: "https://perennial.example/console?x#y")
        try await Node.run(configuration: configuration) { node async throws in
            let answer = try await self.answer(
                "POST", "/v1/quarantine/replay", "Host: \(host)", line, "Authorization: Bearer admin", port: node.port)

            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [
        "", "node.example", "//node.example", "ftp://node.example", "https://", "https://a b/",
        "https://me@node.example",
        "https://node.example:x/",
    ])
    func `what is no URL of a web page has no origin`(_ url: String) { #expect(Origin(ofURL: url) == nil) }

    /// What a form of any page can send without being asked for leave first.
    @Test(arguments: [
        "X: y", "Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: multipart/form-data; boundary=x", "Content-Type: text/plain; application/json",
    ])
    func `without tokens no form changes anything`(_ line: String) async throws {
        try await Node.run { node in
            for route in Route.all where route.method != .get {
                let answer = try await self.answer(
                    route.method.rawValue, route.examplePath, "Host: localhost", line, port: node.port)

                #expect(answer.status == 415, "\(route.path)")
                #expect(answer.code == "unsupportedMediaType")
            }
        }
    }

    @Test(arguments: [
        "Content-Type: application/json", "Content-Type: application/json; charset=utf-8",
        "Content-Type: application/x-protobuf", "Perennial-Client: me", "perennial-anything: 1",
    ])
    func `what no form can send is enough`(_ line: String) async throws {
        try await Node.run { node async throws in
            let answer = try await self.answer(
                "POST", "/v1/quarantine/replay", "Host: localhost", line, port: node.port)

            #expect(answer.status == 200)
        }
    }

    @Test func `a token is enough`() async throws {
        try await Node.run(configuration: Self.protected) { node async throws in
            let answer = try await self.answer(
                "POST", "/v1/quarantine/replay", "Host: node.example", "Authorization: Bearer admin", port: node.port)

            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
    func `the outside listener tells balancers that forward whether it lives`(_ field: String) async throws {
        for configuration in [Self.open, Self.protected] {
            try await Node.run(configuration: configuration) { node async throws in
                let outside = try #require(node.outsidePort)

                #expect(
                    try await self.answer(
                        "GET", "/livez", "Host: notifications.example", "\(field): 192.0.2.1", port: outside
                    ).status == 200)
            }
        }
    }
}
