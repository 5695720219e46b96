import CoreMetrics
import PrometheusMetrics
import Testing

@Suite struct PrometheusTests {
    private let registry = PrometheusRegistry()
    private var lines: [String] { PrometheusPage(self.registry).text.split(separator: "\n").map(String.init) }

    @Test func aCounterShowsItsSumWithHelpAndType() {
        let labels = [("result", "entitled"), ("consistency", "local")]

        Counter(label: "perennial_checks_total", dimensions: labels, factory: self.registry).increment(by: 2)
        Counter(label: "perennial_checks_total", dimensions: labels.reversed(), factory: self.registry).increment()

        #expect(
            self.lines == [
                "# HELP perennial_checks_total Answered entitlement checks.",
                "# TYPE perennial_checks_total counter",
                #"perennial_checks_total{consistency="local",result="entitled"} 3"#,
            ])
    }

    @Test func aTimerIsAHistogramInSeconds() {
        let timer = Timer(label: "perennial_append_seconds", dimensions: [], factory: self.registry)

        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(30_000_000_000)
        timer.recordNanoseconds(4_000_000_000_000)

        let lines = self.lines
        #expect(lines.contains(#"perennial_append_seconds_bucket{le="0.001"} 0"#))
        #expect(lines.contains(#"perennial_append_seconds_bucket{le="0.0025"} 1"#))
        #expect(lines.contains(#"perennial_append_seconds_bucket{le="60"} 2"#))
        #expect(lines.contains(#"perennial_append_seconds_bucket{le="300"} 2"#))
        #expect(lines.contains(#"perennial_append_seconds_bucket{le="+Inf"} 3"#))
        #expect(lines.contains("perennial_append_seconds_sum 4030.002"))
        #expect(lines.contains("perennial_append_seconds_count 3"))
    }

    @Test func aRecorderOfCountsIsAHistogramOfCounts() {
        let recorder = Recorder(label: "perennial_append_batch_events", dimensions: [], factory: self.registry)

        recorder.record(3)
        recorder.record(Double.nan)

        #expect(self.lines.contains(#"perennial_append_batch_events_bucket{le="2"} 0"#))
        #expect(self.lines.contains(#"perennial_append_batch_events_bucket{le="4"} 1"#))
        #expect(self.lines.contains("perennial_append_batch_events_sum 3"))
        #expect(self.lines.contains("perennial_append_batch_events_count 1"))
    }

    @Test func aGaugeShowsItsLastValueAndAMeterMoves() {
        Gauge(label: "perennial_quarantine_depth", dimensions: [], factory: self.registry).record(7)
        Gauge(label: "perennial_quarantine_depth", dimensions: [], factory: self.registry).record(5)
        let meter = Meter(label: "perennial_inbox_age_seconds", dimensions: [], factory: self.registry)
        meter.set(2)
        meter.increment(by: 1)
        meter.decrement(by: 0.5)

        #expect(self.lines.contains("perennial_quarantine_depth 5"))
        #expect(self.lines.contains("# TYPE perennial_quarantine_depth gauge"))
        #expect(self.lines.contains("perennial_inbox_age_seconds 2.5"))
    }

    @Test func labelsAndNamesAreEscaped() {
        Counter(
            label: "odd.name-total", dimensions: [("a-b", "quote \" slash \\ line \n end")], factory: self.registry
        ).increment()

        #expect(self.lines.last == #"odd_name_total{a_b="quote \" slash \\ line \n end"} 1"#)
    }

    @Test func oneNameHasOneType() {
        Counter(label: "twice", dimensions: [], factory: self.registry).increment()
        Gauge(label: "twice", dimensions: [], factory: self.registry).record(1)

        #expect(self.lines.filter { $0.hasPrefix("# TYPE") } == ["# TYPE twice counter"])
    }

    @Test func concurrentRecordsAreAllCounted() async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<1_000 {
                        let labels = [("shard", String(round % 16))]
                        Counter(label: "hits_total", dimensions: labels, factory: self.registry).increment()
                        Timer(label: "work_seconds", dimensions: [], factory: self.registry)
                            .recordNanoseconds(Int64(task * round))
                    }
                }
            }
        }

        let lines = self.lines
        #expect(
            (0..<16).allSatisfy { shard in
                lines.contains { $0 == #"hits_total{shard="\#(shard)"} \#(shard < 8 ? 504 : 496)"# }
            })
        #expect(lines.contains("work_seconds_count 8000"))
    }
}
