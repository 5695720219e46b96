/// Apple's `environment`. Unknown names are kept, so that nothing is lost, but no configuration accepts them.
package struct AppStoreEnvironment: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let production = AppStoreEnvironment(rawValue: "Production")
    package static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")
    package static let xcode = AppStoreEnvironment(rawValue: "Xcode")
    package static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")
}
