import ArgumentParser
import Subscriptions

/// A moment of the past that is asked about.
struct PastOptions: ParsableArguments {
    @Option(help: "What was true then, by all that is known now, such as 2026-11-04T20:00:00Z.")
    var at: Moment?
    @Option(help: "What would have been answered then.")
    var knownAt: Moment?

    var query: [(String, String?)] { [("at", self.at?.rfc3339), ("knownAt", self.knownAt?.rfc3339)] }
}
