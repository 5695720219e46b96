import ArgumentParser
import Subscriptions

/// Which app is meant.
struct AppOptions: ParsableArguments {
    @Option(help: "The App Store environment, Production unless set.")
    var environment: AppStoreEnvironment?

    @Option(help: "The app, when several are configured.")
    var bundleId: String?

    var members: [(name: String, value: String?)] {
        [("environment", self.environment?.rawValue), ("bundleId", self.bundleId)]
    }
}
