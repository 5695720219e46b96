import ArgumentParser
import Subscriptions

/// Which subscription is meant, where its id alone does not say it.
struct StreamOptions: ParsableArguments {
    @Option(help: "The App Store environment, Production unless set.")
    var environment: AppStoreEnvironment?

    @Option(help: "The app, when the id alone is ambiguous.")
    var bundleId: String?

    var query: [(String, String?)] {
        [("environment", self.environment?.rawValue), ("bundleId", self.bundleId)]
    }
}
