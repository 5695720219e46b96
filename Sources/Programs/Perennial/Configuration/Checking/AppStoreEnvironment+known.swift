import ArgumentParser
import Subscriptions

extension AppStoreEnvironment {
    /// Those that Apple signs for, and those that are signed by nobody.
    static let signed: [AppStoreEnvironment] = [.production, .sandbox]
    static let unsigned: [AppStoreEnvironment] = [.xcode, .localTesting]
    static let known = Self.signed + Self.unsigned
}

extension AppStoreEnvironment: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(rawValue: argument)
        guard Self.known.contains(self) else { return nil }
    }

    package static var allValueStrings: [String] { Self.known.map(\.rawValue) }
}
