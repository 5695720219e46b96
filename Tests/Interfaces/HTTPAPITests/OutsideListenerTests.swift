import HTTPAPI
import HTTPTypes
import Testing

@Suite struct OutsideListenerTests {
    @Test func hasNotificationsAndLivenessOnly() async throws {
        let configuration = Configuration.patient(outside: .init(host: "127.0.0.1"), tokens: TestTokens.all)
        try await Node.run(configuration: configuration) { node in
            let port = try #require(node.outsidePort)
            try await HTTPConnection.with(port: port) { outside in
                for route in Route.all {
                    let path = route.examplePath
                    let answer = try await outside.send(
                        route.method.rawValue, path, headers: ["Authorization": "Bearer admin"])

                    #expect((answer.status == 404) == !route.isPublicListener)
                }
            }
        }
        #expect(Route.all.filter(\.isPublicListener).map(\.path) == ["/v1/apple/notifications", "/livez"])
    }

    @Test func takesWhatComesThroughAProxy() async throws {
        let store = try TestStore.shared.get()
        try await Node.run(configuration: Configuration.patient(outside: .init(host: "127.0.0.1"))) { node in
            let port = try #require(node.outsidePort)
            let body = try store.notification(id: "1")
            let answer = try await HTTPConnection.with(port: port) {
                try await $0.send(
                    "POST", "/v1/apple/notifications", headers: ["X-Forwarded-For": "17.0.0.1"], body: body)
            }

            #expect(answer.status == 200)
            #expect(try await node.send("GET", "/v1/subscriptions/1").status == 200)
        }
    }

    /// Where nobody has a cursor, nobody may send as much as one.
    @Test func takesShorterHeadersThanTheOther() async throws {
        try await Node.run(configuration: Configuration.patient(outside: .init(host: "127.0.0.1"))) { node in
            let long = ["X": String(repeating: "a", count: 33_000)]
            #expect(try await node.send("GET", "/livez", headers: long).status == 200)
            let port = try #require(node.outsidePort)
            let answer = try await HTTPConnection.with(port: port) { try await $0.send("GET", "/livez", headers: long) }

            #expect(answer.status == 431)
        }
    }

    @Test func countsItsConnectionsForItself() async throws {
        var configuration = Configuration.patient(outside: .init(host: "127.0.0.1"))
        configuration.limits.connections = 1
        try await Node.run(configuration: configuration) { node in
            let port = try #require(node.outsidePort)
            try await HTTPConnection.with(port: port) { outside async throws in
                #expect(try await outside.send("GET", "/livez").status == 200)
                #expect(try await node.send("GET", "/livez").status == 200)
            }
        }
    }
}
