package import Histogram

/// What came of a load: every request was answered with 200.
package struct LoadResult: Sendable {
    package var answered: Int
    /// From the first request to the last answer.
    package var took: Duration
    /// In microseconds. In a closed load from the moment a request was sent; in an open one from the moment it was due.
    package var latencies: Histogram<UInt32>
    /// The body of the answer to the first request.
    package var firstBody: [UInt8]

    package var perSecond: Double { Double(self.answered) / (self.took / .seconds(1)) }

    /// In milliseconds.
    package func latency(percentile: Double) -> Double {
        Double(self.latencies.valueAtPercentile(percentile)) / 1_000
    }
}
