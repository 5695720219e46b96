import Foundation
import HTTPAPI
import PerennialTestSupport
import Subscriptions
import Testing

@Suite struct HealthTests {
    @Test func aRunningNodeIsAliveAndReady() async throws {
        try await Node.run { node in
            for (path, status) in [
                ("/livez", "alive"), ("/readyz", "ready"), ("/readyz?for=ingest", "ready"),
                ("/readyz?for=reads", "ready"),
            ] {
                let answer = try await node.send("GET", path)
                #expect(answer.status == 200)
                #expect(answer.json["status"] as? String == status)
            }
        }
    }

    @Test func aReadyNodeSaysHowFarItsClockIsAhead() async throws {
        let clock = ManualClock(Moment(milliseconds: 1_760_000_000_000))
        clock.offset = .seconds(-7)
        try await Node.run(clock: clock) { node in
            let answer = try await node.send("GET", "/readyz")
            #expect(answer.status == 200)
            #expect(answer.json["clockOffsetMilliseconds"] as? Int == -7_000)
        }
    }

    @Test func aNodeThatHasNotStartedSaysSoAndAppleMayComeAgain() async throws {
        let body = try TestStore.shared.get().notification(id: "1")
        try await Node.run(servicing: false) { node in
            let live = try await node.send("GET", "/livez")
            #expect(live.status == 200)
            for (answer, code) in [
                (try await node.send("GET", "/readyz"), "notReady"),
                (try await node.send("GET", "/readyz?for=ingest"), "notReady"),
                (try await node.send("GET", "/readyz?for=reads"), "notReady"),
                (try await node.send("POST", "/v1/apple/notifications", body: body), "stopping"),
            ] {
                #expect(answer.status == 503)
                #expect(answer.code == code || answer.code == "overloaded")
                #expect(answer.json["retryable"] as? Bool == true)
                #expect(Int(answer.headers["retry-after"] ?? "") ?? 0 > 0)
                #expect((answer.json["detail"] as? String)?.isEmpty == false)
            }
        }
    }

    @Test func metricsShowWhatHappened() async throws {
        let store = try TestStore.shared.get()
        try await Node.run { node in
            _ = try await node.send("POST", "/v1/apple/notifications", body: try store.notification(id: "1"))
            _ = try await node.send("POST", "/v1/apple/notifications", body: "{}")
            _ = try await node.send("POST", "/v1/check", body: #"{"checks":[{"subscription":"1"}]}"#)

            // The connections of those before end a moment after their answers.
            var page = try await node.send("GET", "/metrics")
            while !page.body.contains("\nperennial_http_connections 1\n") {
                try await Task.sleep(for: .milliseconds(5))
                page = try await node.send("GET", "/metrics")
            }

            #expect(page.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = page.body.split(separator: "\n")
            #expect(lines.contains(#"perennial_http_requests_total{route="/v1/apple/notifications",status="2xx"} 1"#))
            #expect(lines.contains(#"perennial_http_requests_total{route="/v1/apple/notifications",status="4xx"} 1"#))
            #expect(lines.contains("# TYPE perennial_notification_ack_seconds histogram"))
            #expect(lines.contains("perennial_notification_ack_seconds_count 1"))
            let labels = #"app="com.example.app",consistency="local",environment="Production",result="entitled""#
            #expect(lines.contains("perennial_checks_total{\(labels)} 1"))
            #expect(
                lines.contains { $0.hasPrefix("perennial_notifications_total{") && $0.contains(#"type="SUBSCRIBED""#) })
            #expect(
                lines.contains {
                    $0.hasPrefix("perennial_notifications_total{") && $0.contains(#"result="refused""#)
                        && $0.hasSuffix("} 1")
                })
            #expect(
                lines.contains(#"perennial_verification_failures_total{class="INVALID_JWT_FORMAT"} 1"#))
            #expect(lines.contains("perennial_shards_owned 256"))
            let help = lines.filter { $0.hasPrefix("# HELP") }.compactMap {
                $0.split(separator: " ").dropFirst(2).first
            }
            #expect(help.count == Set(help).count)
        }
    }
}
