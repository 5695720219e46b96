import AppStore
import EventLog
import PerennialTestSupport
import Reconciliation
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// Gaps in ingest, what Apple could not deliver, and the work people ask for.
@Suite(.timeLimit(.minutes(10))) struct CoverageTests {
    private static let nothing = ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)

    @Test func whatWasSentWhileNobodyWasThereIsFetched() async throws {
        // given: a node that was there, and then was not for a day
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        var life = TestSubscription(id: "1", from: Node.start - .hours(1))
        let first = life.subscribe()
        let payload = try node.apple.sign(first)
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            await eventually { service.isCovered }
        }
        let left = node.clock.now
        node.clock.advance(to: left + .days(1))
        life.wait(.hours(5))
        var missed = [first, life.turnAutoRenew(false)]
        life.wait(.minutes(1))
        missed.append(life.turnAutoRenew(true))
        life.wait(.minutes(1))
        missed.append(life.refund())
        apple.answers { [store = node.apple, missed] request in
            guard let body = request.body, String(decoding: body, as: UTF8.self).contains("\"onlyFailures\":true")
            else { return (try? store.history(missed)) ?? Self.nothing }
            return Self.nothing
        }
        // when
        try await node.run { service in
            await eventually { (try? await service.view("1").snapshot?.state) == .revoked }
            await eventually { service.isCovered }
            // then: each once, the one that had been pushed too
            #expect(
                try await service.history(StreamReference(id: "1")).filter { $0.event.notification != nil }.count == 4)
            let account = try #require(try service.reconciliationReport().accounts.first)
            #expect(account.failedDeliveries == ["SOCKET_ISSUE": 3])
            #expect(try #require(account.coveredUntil) >= left + .days(1))
        }
        // and the stretch begins an hour before the gap, and failures are looked for seven days back
        let bodies = apple.requests(to: "/notifications/history").map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(bodies.contains { $0.contains("\"startDate\":\((left - .hours(1)).milliseconds)") })
        #expect(bodies.contains { $0.contains("\"startDate\":\((left + .days(1) - .days(7)).milliseconds)") })
    }

    @Test func silenceIsNoGap() async throws {
        // given
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        try await node.run { service in await eventually { service.isCovered } }
        let count = apple.requests.count
        // when: started anew at once, though no notification had come
        try await node.run { service in await eventually { service.isCovered } }
        // then: only the last moments are read again
        let lastMinute = "\"startDate\":\((Node.start - .minutes(1)).milliseconds)"
        #expect(
            apple.requests.dropFirst(count).allSatisfy {
                Self.asksForFailures($0) || String(decoding: $0.body ?? [], as: UTF8.self).contains(lastMinute)
            })
    }

    @Test("what the store lost in a failover, and Apple takes for delivered, is fetched at the start")
    func failover() async throws {
        // given: a node that was there all the time, on a store that has lost the newest commit
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        try await node.run { service in await eventually { service.isCovered } }
        var life = TestSubscription(id: "1", from: Node.start - .seconds(5))
        let lost = [life.subscribe()]
        apple.answers { [store = node.apple] request in
            Self.asksForFailures(request) ? Self.nothing : (try? store.history(lost, result: "SUCCESS")) ?? Self.nothing
        }
        // when
        try await node.run { service in
            await eventually { service.isCovered }
            // then
            let view = try await service.view("1")
            #expect(view.snapshot?.state == .subscribed)
        }
        #expect(node.log.count(of: "Notifications that the store had lost were fetched") == 1)
    }

    @Test func aGapStaysOneUntilAllOfItWasRead() async throws {
        // given
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        try await node.run { service in await eventually { service.isCovered } }
        node.clock.advance(to: Node.start + .days(1))
        var life = TestSubscription(id: "1", from: Node.start + .hours(3))
        let missed = [life.subscribe()]
        // when: Apple does not answer, and the node is started once more
        apple.answers { _ throws(ServerAPIError) in throw ServerAPIError(.notReached, "no connection") }
        try await node.run { service in
            await eventually { (try? service.reconciliationReport().accounts.first?.state) == .unreachable }
            let account = try service.reconciliationReport().accounts.first
            #expect(account?.lastError == "no connection")
        }
        apple.answers { [store = node.apple] _ in (try? store.history(missed)) ?? Self.nothing }
        // then
        try await node.run { service in
            await eventually { (try? await service.view("1").snapshot?.state) == .subscribed }
        }
    }

    private static func asksForFailures(_ request: ServerAPIRequest) -> Bool {
        String(decoding: request.body ?? [], as: UTF8.self).contains("\"onlyFailures\":true")
    }

    /// The history judges by the first attempt, which was before the gap.
    @Test func whatWasTriedAgainInVainWithinTheGapIsFetched() async throws {
        // given
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        try await node.run { service in await eventually { service.isCovered } }
        var life = TestSubscription(id: "1", from: Node.start - .days(3))
        let missed = [life.subscribe()]
        apple.answers { [store = node.apple] request in
            Self.asksForFailures(request) ? (try? store.history(missed)) ?? Self.nothing : Self.nothing
        }
        // when
        node.clock.advance(to: Node.start + .days(1))
        try await node.run { service in
            await eventually { service.isCovered }
            // then
            let view = try await service.view("1")
            #expect(view.snapshot?.state == .subscribed)
        }
    }

    @Test func whatAppleCannotDeliverIsFetchedCountedAndSaidOnce() async throws {
        // given: a node that misses nothing
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        var life = TestSubscription(id: "1", from: Node.start - .hours(1))
        var failed = [life.subscribe()]
        life.wait(.minutes(1))
        failed.append(life.turnAutoRenew(false))
        try await node.run { [failed] service in
            await eventually { apple.requests.count { Self.asksForFailures($0) } > 0 }
            await eventually { service.isCovered }
            // when: what is pushed does not arrive
            apple.answers { [store = node.apple] request in
                guard Self.asksForFailures(request) else { return Self.nothing }
                return (try? store.history(failed, result: "TLS_ISSUE")) ?? Self.nothing
            }
            for look in 1...3 {
                node.clock.advance(to: Node.start + .minutes(5 * Int64(look)))
                await eventually { apple.requests.count { Self.asksForFailures($0) } > look }
            }
            await eventually { node.log.count(of: "Apple could not deliver notifications") == 1 }
            // then: each counts once, however often it is found
            let view = try await service.view("1")
            #expect(view.snapshot?.autoRenew == false)
            let account = try service.reconciliationReport().accounts.first
            #expect(account?.failedDeliveries == ["TLS_ISSUE": 2])
            #expect(node.log.count(of: "2 TLS_ISSUE") == 1)
        }
    }

    @Test func badCredentialsStopNothingButTheQuestions() async throws {
        // given
        let apple = ScriptedApple { _ in ServerAPIAnswer(status: 401) }
        let node = try Node().asking(apple)
        var life = TestSubscription(id: "1", from: Node.start - .hours(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when
            await eventually { (try? service.reconciliationReport().accounts.first?.state) == .unauthorized }
            // then: one readable sentence, and ingest goes on
            let error = try #require(try service.reconciliationReport().accounts.first?.lastError)
            #expect(error.contains("keyId"))
            _ = try await service.ingest(signedPayload: payload)
            #expect(try await service.check("1")?.entitled == true)
        }
    }

    @Test func eachTroubleWithAppleIsSaidOnceUntilItIsOver() async throws {
        // given
        let apple = ScriptedApple { _ throws(ServerAPIError) in throw ServerAPIError(.notReached, "no connection") }
        let node = try Node().asking(apple)
        try await node.run { service in
            await eventually { node.log.count(of: "no connection") == 1 }
            // when: it is reached, and refuses; and cannot be reached once more
            apple.answers { _ in ServerAPIAnswer(status: 401) }
            await eventually { node.log.count(of: "check keyId") == 1 }
            let asked = apple.requests.count
            apple.answers { _ throws(ServerAPIError) in throw ServerAPIError(.notReached, "no connection") }
            await eventually { apple.requests.count > asked && self.isUnreachable(service) }
            apple.answers { _ in Self.nothing }
            await eventually { node.log.count(of: "answers again") == 1 }
            // then
            #expect(node.log.errors.count == 2, "\(node.log.errors)")
        }
    }

    private func isUnreachable(_ service: SubscriptionService) -> Bool {
        (try? service.reconciliationReport().accounts.first?.state) == .unreachable
    }

    @Test func aBackfillReadsItsStretchAndCountsWhatItBrought() async throws {
        // given
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        var life = TestSubscription(id: "1", from: Node.start - .days(3))
        let told = [life.subscribe(), life.turnAutoRenew(false)]
        let known = try node.apple.sign(told[0])
        try await node.run { service in
            _ = try await service.ingest(signedPayload: known)
            await eventually { service.isCovered }
            apple.answers { [store = node.apple] request in
                let body = String(decoding: request.body ?? [], as: UTF8.self)
                let isLast = body.contains("\"endDate\":\((Node.start - .days(2)).milliseconds)")
                return isLast ? (try? store.history(told)) ?? Self.nothing : Self.nothing
            }
            // when
            let job = try service.startBackfill(nil, from: Node.start - .days(4), to: Node.start - .days(2))
            await eventually { (try? service.job(job.id).state) != .running }
            // then
            let end = try service.job(job.id)
            #expect(end.state == .done)
            #expect(end.progress.fetched == 2)
            #expect(end.progress.recorded == 1)
            #expect(end.progress.duplicates == 1)
            #expect(end.progress.calls == 48)
            #expect(try await service.view("1").snapshot?.autoRenew == false)
        }
    }

    @Test func aBackfillThatCannotBeIsRefused() async throws {
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        try await node.run { service in
            let now = Node.start
            for (from, to, code) in [
                (now, now, ServiceError.Code.invalidRequest), (now + .days(1), now + .days(2), .futureMoment),
                (now - .days(200), now, .invalidRequest),
            ] {
                let error = #expect(throws: ServiceError.self) {
                    _ = try service.startBackfill(nil, from: from, to: to)
                }
                #expect(error?.code == code)
            }
            let unknown = #expect(throws: ServiceError.self) { _ = try service.job("17") }
            #expect(unknown?.code == .unknownJob)
            let other = #expect(throws: ServiceError.self) {
                _ = try service.startBackfill(
                    AppReference(environment: .sandbox), from: now - .days(1), to: now)
            }
            #expect(other?.code == .notConfigured)
        }
    }

    @Test func aComparisonOfEverythingRepairsAndCountsDrift() async throws {
        // given: of three subscriptions one was refunded, and nobody told
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        var lives = ["1", "2", "3"].map { TestSubscription(id: $0, from: Node.start - .days(1)) }
        let first = lives.indices.map { lives[$0].subscribe() }
        let payloads = try first.map(node.apple.sign)
        lives[1].wait(.minutes(1))
        let truth = [first[0], lives[1].refund(), first[2]]
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            apple.answers { [store = node.apple] request in
                guard let id = request.path.split(separator: "/").last.flatMap({ Int($0) }) else { return Self.nothing }
                return (try? store.statuses(truth[id - 1])) ?? ScriptedApple.notFound
            }
            // when
            let job = try service.startReconciliation()
            await eventually { (try? service.job(job.id).state) == .done }
            // then
            #expect(try service.job(job.id).progress.checked == 3)
            #expect(try service.job(job.id).progress.repaired == 1)
            #expect(try await service.check("2")?.entitled == false)
            #expect(try await service.check("1")?.entitled == true)
            #expect(try service.reconciliationReport().kinds == [.missedRevocation: 1])
            #expect(try service.reconciliationReport().drift.different == 1)
            #expect(try service.reconciliationReport().drift.sampled >= 3)
            // and the next time there is nothing to repair
            let again = try service.startReconciliation()
            await eventually { (try? service.job(again.id).state) == .done }
            #expect(try service.job(again.id).progress.repaired == 0)
        }
    }

    @Test func theTestNotificationIsKnownByItsUUID() async throws {
        // given
        let apple = ScriptedApple { _ in Self.nothing }
        let node = try Node().asking(apple)
        let test = TestNotification(
            type: "TEST", uuid: "00000000-0000-4000-8000-00000000abcd", signed: Node.start, period: nil)
        let payload = try node.apple.sign(test)
        let text = String(decoding: payload, as: UTF8.self)
        apple.answers { request in
            if request.method == .post, request.path.hasSuffix("/notifications/test") {
                return ScriptedApple.json(#"{"testNotificationToken":"token_1"}"#)
            }
            guard request.path.hasSuffix("/notifications/test/token_1") else { return Self.nothing }
            return ScriptedApple.json(
                """
                {"signedPayload":"\(text)","sendAttempts":[{"attemptDate":1760000000000,\
                "sendAttemptResult":"SUCCESS"}]}
                """)
        }
        try await node.run { service in
            let app = AppReference()
            let token = try await service.requestTestNotification(app)
            #expect(token == "token_1")
            // Apple has delivered it, and it is not here
            #expect(try await service.testNotification(token, app).state == .deliveredElsewhere)
            // when
            _ = try await service.ingest(signedPayload: payload)
            // then
            #expect(try await service.testNotification(token, app).state == .arrived)
        }
    }

    @Test func withoutCredentialsAppleIsNotAsked() async throws {
        let node = try Node()
        try await node.run { service in
            let refusal = await #expect(throws: ServiceError.self) {
                try await service.refresh(StreamReference(id: "1"))
            }
            #expect(refusal?.code == .notConfigured)
        }
    }
}
