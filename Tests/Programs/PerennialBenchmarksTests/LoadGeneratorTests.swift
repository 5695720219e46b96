import Histogram
import NIOCore
import PerennialBenchmarks
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoadGeneratorTests {
    private static func requests(_ count: Int) -> [ByteBuffer] {
        (0..<count).map { _ in .post("/", body: Array("{}".utf8)) }
    }

    @Test func aClosedLoadSendsEachRequestOnce() async throws {
        let result = try await SmallServer.run({ _ in .answer(SmallServer.ok) }) { server in
            try await LoadGenerator(port: server.port, connections: 3).closed(Self.requests(100))
        }

        #expect(result.answered == 100)
        #expect(result.latencies.totalCount == 100)
        #expect(String(decoding: result.firstBody, as: UTF8.self) == "{}")
    }

    @Test func aClosedLoadWithADurationGoesRoundAndRound() async throws {
        var duration = Duration.milliseconds(200)
        // On a machine that pauses, until it comes round.
        while true {
            let result = try await SmallServer.run({ _ in .answer(SmallServer.ok) }) { [duration] server in
                try await LoadGenerator(port: server.port, connections: 2).closed(Self.requests(2), for: duration)
            }
            #expect(result.took >= duration)
            if result.answered > 2 { break }
            duration *= 2
        }
    }

    @Test func readsAnswersThatComeInPieces() async throws {
        let pieces = [
            ("HTTP/1.1 200 OK\r\nContent-", "Length: 2\r\n\r\n{}"),
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{", "}"),
        ]
        let result = try await SmallServer.run({ number in
            .answerInPieces(pieces[number % 2].0, pieces[number % 2].1)
        }) { server in
            try await LoadGenerator(port: server.port, connections: 1).closed(Self.requests(4))
        }

        #expect(result.answered == 4)
        #expect(String(decoding: result.firstBody, as: UTF8.self) == "{}")
    }

    /// The 20th of 200 requests, of which one is due every 5 ms, is answered after 400 ms. A closed load sees one slow
    /// answer; those that were due meanwhile waited too.
    @Test func anOpenLoadCountsWhatWaitedBehindAStall() async throws {
        @Sendable func step(_ number: Int) -> SmallServer.Step {
            number == 20 ? .stall(.milliseconds(400), thenAnswer: SmallServer.ok) : .answer(SmallServer.ok)
        }
        let open = try await SmallServer.run(step) { server in
            try await LoadGenerator(port: server.port, connections: 1).open(Self.requests(200), perSecond: 200)
        }
        var closed: LoadResult
        // Until nothing but the stall took long.
        repeat {
            closed = try await SmallServer.run(step) { server in
                try await LoadGenerator(port: server.port, connections: 1).closed(Self.requests(200))
            }
        } while closed.took >= .milliseconds(700)

        #expect(open.answered == 200)
        // At least those due in the first 300 ms of the stall waited 100 ms or longer.
        #expect(open.latencies.count(within: 100_000...60_000_000) >= 60)
        #expect(open.latency(percentile: 99) >= 300)
        #expect(closed.latencies.count(within: 300_000...60_000_000) == 1)
    }

    @Test(arguments: [
        ("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 4\r\n\r\noops", "500: oops"),
        ("HTTP/1.1 200 OK\r\n\r\n", "Content-Length"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n{}", "more than one answer"),
    ])
    func whatIsNoGoodAnswerEndsTheLoad(_ answer: String, _ complaint: String) async throws {
        await #expect {
            try await SmallServer.run({ $0 == 50 ? .answer(answer) : .answer(SmallServer.ok) }) { server in
                try await LoadGenerator(port: server.port, connections: 2).closed(Self.requests(100))
            }
        } throws: {
            "\($0)".contains(complaint)
        }
    }

    @Test func aBrokenConnectionEndsTheLoad() async throws {
        await #expect {
            try await SmallServer.run({ $0 == 10 ? .close : .answer(SmallServer.ok) }) { server in
                try await LoadGenerator(port: server.port, connections: 2).open(Self.requests(100), perSecond: 1_000)
            }
        } throws: {
            "\($0)".contains("closed a connection")
        }
    }

    @Test func nobodyListeningIsAnError() async throws {
        // Nobody listens there.
        await #expect {
            try await LoadGenerator(port: 1, connections: 1).closed(Self.requests(1))
        } throws: {
            "\($0)".contains("cannot connect")
        }
    }
}
