import HTTPAPI
import Testing

/// How bodies are read, and when they are not.
@Suite struct BodyTests {
    @Test(arguments: [
        [:], ["Content-Type": "text/plain"], ["Content-Type": "application/x-www-form-urlencoded"],
        ["Content-Type": "application/json; charset=latin1"], ["Content-Type": "application/json; boundary=x"],
        ["Content-Type": "application/json", "Content-Encoding": "gzip"],
        ["Content-Type": "application/json", "Content-Encoding": "deflate"],
    ])
    func takesPlainJSONOnly(_ headers: [String: String]) async throws {
        try await Node.run { node in
            for path in ["/v1/check", "/v1/transactions", "/v1/apple/notifications"] {
                try await HTTPConnection.with(port: node.port) { connection in
                    var head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                    for (name, value) in headers { head += "\(name): \(value)\r\n" }
                    try await connection.send(head + "\r\n{}")
                    let answer = try await connection.answer()

                    #expect(answer.status == 415)
                    #expect(answer.code == "unsupportedMediaType")
                }
            }
        }
    }

    @Test(arguments: ["application/json; charset=utf-8", #"Application/JSON;charset="UTF-8""#])
    func takesJSONThatSaysItIsUTF8(_ type: String) async throws {
        try await Node.run { node in
            let answer = try await node.send("POST", "/v1/check", headers: ["Content-Type": type], body: "{}")

            #expect(answer.status == 400)
            #expect(answer.json["detail"] as? String == "checks is missing")
        }
    }

    @Test func refusesLargeBodiesUnread() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 1048577\r\n\r\n"
                )
                let answer = try await connection.answer()

                #expect(answer.status == 413)
                #expect(answer.code == "bodyTooLarge")
                #expect(answer.headers["connection"] == "close")
                try await connection.waitForEnd()
            }
        }
    }

    @Test func stopsReadingABodyWithoutEnd() async throws {
        try await Node.run(configuration: Configuration.with { $0.bodyBytesPerRequest = 10_000 }) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n")
                let chunk = "1000\r\n" + String(repeating: " ", count: 4_096) + "\r\n"
                for _ in 0..<3 { try await connection.send(chunk) }
                let answer = try await connection.answer()

                #expect(answer.status == 413)
                // The client may go on for a moment; then the connection ends whether it stops or not.
                try await connection.waitForEnd()
            }
        }
    }

    @Test func boundsBodiesOfAllRequestsTogether() async throws {
        try await Node.run(configuration: Configuration.with { $0.bodyBytes = 1_000 }) { node in
            let answer = try await node.send("POST", "/v1/check", body: String(repeating: " ", count: 1_001))

            #expect(answer.status == 503)
            #expect(answer.code == "tooBusy")
            #expect(answer.headers["retry-after"] == "1")
            #expect(answer.json["retryable"] as? Bool == true)
            // What was taken has been given back.
            #expect(try await node.send("POST", "/v1/check", body: String(repeating: " ", count: 1_000)).status == 400)
            #expect(try await node.send("POST", "/v1/check", body: String(repeating: " ", count: 1_000)).status == 400)
        }
    }

    @Test func asksForTheBodyOfAClientThatWaits() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                        + "Expect: 100-continue\r\n\r\n")
                #expect(try await connection.answer().status == 100)
                try await connection.send("{}")
                #expect(try await connection.answer().status == 400)
            }
        }
    }

    @Test func knowsNoOtherExpectation() async throws {
        try await Node.run { node in
            let answer = try await node.send("GET", "/livez", headers: ["Expect": "miracles"])

            #expect(answer.status == 417)
            #expect(answer.code == "expectationFailed")
        }
    }
}
