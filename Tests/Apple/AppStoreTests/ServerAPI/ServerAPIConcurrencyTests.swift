import AppStore
import Testing
import Waiting

@Suite struct ServerAPIConcurrencyTests {
    private static func eventually(_ isTrue: () -> Bool) async {
        while !isTrue() { try? await Task.sleep(for: .milliseconds(1)) }
    }

    @Test(.timeLimit(.minutes(10))) func boundsWhatIsUnderWay() async throws {
        let transport = SilentTransport()
        let client = try ServerAPIFixture(transport, limits: [.requestTest: 1_000]) { $0.concurrency = 3 }.client
        let succeeded = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await client.requestTestNotification() } }
            await Self.eventually { transport.underWay == 3 }
            transport.open()
            return try await group.reduce(into: 0) { count, _ in count += 1 }
        }
        #expect(succeeded == 20)
        #expect(transport.mostUnderWay == 3)
    }

    @Test(.timeLimit(.minutes(10))) func cancellationAnswersPromptly() async throws {
        let transport = SilentTransport()
        let fixture = try ServerAPIFixture(transport, limits: [.requestTest: 1_000]) { $0.concurrency = 1 }
        // One that is under way, and one that waits for its place.
        for _ in 0..<2 {
            let first = Task {
                await ServerAPIFixture.failure { () throws(ServerAPIError) in
                    try await fixture.client.requestTestNotification()
                }
            }
            await Self.eventually { transport.underWay == 1 }
            let second = Task {
                await ServerAPIFixture.failure { () throws(ServerAPIError) in
                    try await fixture.client.requestTestNotification()
                }
            }
            second.cancel()
            #expect(await second.value?.code == .cancelled)
            first.cancel()
            #expect(await first.value?.code == .cancelled)
            await Self.eventually { transport.underWay == 0 }
        }
        #expect(fixture.observer.answers.isEmpty)
        transport.open()
        #expect(try await fixture.client.requestTestNotification() == "t")
    }

    @Test(.timeLimit(.minutes(10))) func requestsThatTakeTooLongEnd() async throws {
        let fixture = try ServerAPIFixture(SilentTransport(), time: .system) {
            $0.requestTimeout = .milliseconds(20)
            $0.firstPause = .milliseconds(1)
            $0.attempts = 2
        }
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(error?.code == .timedOut)
        #expect(error?.retryable == true)
        #expect(fixture.observer.answers == ["requestTest timedOut", "requestTest timedOut"])
    }

    @Test(.timeLimit(.minutes(10))) func callsEndByTheirDeadline() async throws {
        let transport = SilentTransport()
        let fixture = try ServerAPIFixture(transport, limits: [.requestTest: 1_000], time: .system) {
            $0.callDeadline = .seconds(1)
            $0.concurrency = 1
        }
        // The second never gets a place.
        async let first = ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        async let second = ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(await [first?.code, second?.code] == [.timedOut, .timedOut])
        #expect(transport.mostUnderWay <= 1)
    }

    @Test func urgentRequestsComeFirstAndOthersInOrder() {
        var places = PlacesMachine(limit: 1)
        let entered = [
            places.enter(1, .sweep), places.enter(2, .sweep), places.enter(3, .sweep), places.enter(4, .urgent),
            places.enter(5, .urgent), places.enter(6, .urgent),
        ]
        #expect(entered == [true, false, false, false, false, false])
        places.giveUp(5)
        let next = [places.leave(), places.leave(), places.leave(), places.leave(), places.leave()]
        #expect(next == [4, 6, 2, 3, nil])
        let isFree = places.enter(7, .sweep)
        #expect(isFree)
    }
}
