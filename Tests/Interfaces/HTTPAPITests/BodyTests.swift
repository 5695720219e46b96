import HTTPAPI
import NIOCore
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
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
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
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
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

    @Test func boundsLargeBodiesOfAllRequestsTogether() async throws {
        let configuration = Configuration.with {
            $0.smallBodyBytes = 100
            $0.largeBodyBytes = 1_000
        }
        try await Node.run(configuration: configuration) { node in
            let answer = try await node.send("POST", "/v1/check", body: String(repeating: " ", count: 1_101))

            #expect(answer.status == 503)
            #expect(answer.code == "tooBusy")
            #expect(answer.headers["retry-after"] == "1")
            #expect(answer.headers["connection"] == "close")
            #expect(answer.json["retryable"] as? Bool == true)
            // What was taken has been given back, soon at least.
            for _ in 0..<2 {
                var status = 0
                repeat {
                    status = try await node.send("POST", "/v1/check", body: String(repeating: " ", count: 1_100)).status
                } while status == 503
                #expect(status == 400)
            }
        }
    }

    @Test func `stalled bodies keep out neither small ones nor, after a second, large ones`() async throws {
        let configuration = Configuration.with {
            $0.smallBodyBytes = 100
            $0.largeBodyBytes = 1_000
        }
        try await Node.run(configuration: configuration) { node in
            try await HTTPConnection.with(port: node.port) { stalled in
                // given a body that takes all there is, and never ends
                try await stalled.send(
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 1101\r\n\r\n" + String(repeating: " ", count: 1_100))
                // then there is room for small ones
                for _ in 0..<10 { #expect(try await node.send("POST", "/v1/check", body: "{}").status == 400) }
                // and for a large one, as soon as it shows that the other has stalled
                var status = 0
                repeat {
                    status = try await node.send("POST", "/v1/check", body: String(repeating: " ", count: 1_100)).status
                } while status == 503
                #expect(status == 400)
                // which is told so
                let answer = try await stalled.answer()
                #expect(answer.status == 503)
                #expect(answer.code == "tooBusy")
                try await stalled.waitForEnd()
            }
        }
    }

    @Test func `a body that does not come is answered`() async throws {
        let configuration = Configuration.with {
            $0.bodyGrace = .milliseconds(50)
            $0.bodyBytesPerSecond = 1 << 20
        }
        try await Node.run(configuration: configuration) { node in
            for head in ["Content-Length: 1000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{"] {
                try await HTTPConnection.with(port: node.port) { connection in
                    try await connection.send(
                        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + head)
                    let answer = try await connection.answer()

                    #expect(answer.status == 408)
                    #expect(answer.code == "requestTimeout")
                    #expect(answer.headers["connection"] == "close")
                    try await connection.waitForEnd()
                }
            }
        }
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775808", "18446744073709551615"])
    func `a length beyond all bounds is refused at once`(_ length: String) async throws {
        try await Node.run { node in
            for (path, status) in [("/v1/check", 413), ("/nowhere", 404)] {
                try await HTTPConnection.with(port: node.port) { connection in
                    try await connection.send(
                        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            + "Expect: 100-continue\r\nContent-Length: \(length)\r\n\r\n")
                    let answer = try await connection.answer()

                    #expect(answer.status == status)
                    #expect(answer.headers["connection"] == "close")
                    try await connection.waitForEnd()
                }
            }
        }
    }

    @Test(arguments: ["ffffffffffffffff0", "x"])
    func `a chunk size that is none is refused`(_ size: String) async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n")
                #expect(try await connection.answer().status == 400)
                try await connection.waitForEnd()
            }
        }
    }

    @Test func `an endless body behind a refusal is cut`() async throws {
        try await Node.run { node in
            for request in ["POST /nowhere", "GET /livez", "PUT /v1/check"] {
                try await HTTPConnection.with(port: node.port) { connection in
                    try await connection.send(
                        "\(request) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n")
                    let answer = try await connection.answer()

                    #expect(answer.headers["connection"] == "close")
                    // The limits of this node are an hour long.
                    try await connection.waitForEnd()
                }
            }
        }
    }

    @Test func `the rest of a short body behind a refusal is read`() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
                #expect(try await connection.answer().status == 404)
                try await connection.send("0123456789")
                #expect(try await connection.send("GET", "/livez").status == 200)
            }
        }
    }

    @Test func asksForTheBodyOfAClientThatWaits() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                try await connection.send(
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
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
