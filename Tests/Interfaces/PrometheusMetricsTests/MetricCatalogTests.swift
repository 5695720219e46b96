import Foundation
import PrometheusMetrics
import Testing

/// Holds the texts of the metrics page against what the sources record.
@Suite struct MetricCatalogTests {
    /// By the labels that counters, gauges, timers and recorders are made with.
    private func recordedNames() throws -> Set<String> {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        return try paths.filter { $0.hasSuffix(".swift") }.reduce(into: []) { names, path in
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            names.formUnion(text.matches(of: #/label:\s*"(perennial_\w+)"/#).map { String($0.output.1) })
        }
    }

    @Test func everyMetricHasItsTextAndEveryTextItsMetric() throws {
        let (recorded, described) = (try self.recordedNames(), Set(MetricCatalog.help.keys))

        #expect(recorded.count > 40)
        #expect(recorded.subtracting(described).sorted() == [])
        #expect(described.subtracting(recorded).sorted() == [])
    }

    @Test func aTextIsASentence() {
        for (name, text) in MetricCatalog.help {
            #expect(text.hasSuffix(".") && !text.contains("\n"), "\(name)")
        }
    }
}
