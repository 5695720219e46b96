import Foundation
import Perennial
import Testing

/// Holds the documentation of the configuration against the structs.
@Suite struct ConfigurationPageTests {
    private let page: String

    init() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Sources")
        self.page = try String(
            contentsOf: sources.appending(path: "Programs/Perennial/Perennial.docc/Configuration.md"), encoding: .utf8)
    }

    @Test func namesEveryKeyAndNoOther() {
        let documented = self.page.matches(of: #/(?m)^\| `([^`]+)`/#).map { String($0.output.1) }
        let known = ServerConfiguration.documentedKeys(below: "")

        #expect(documented.sorted() == known.sorted())
    }

    @Test func namesVariablesAsTheyAre() {
        let path = ["entitlements", "renewalLeeway", "Sandbox"] as ConfigurationPath

        #expect(ServerConfiguration.scalarPaths().contains(path))
        #expect(path.environmentName == "PERENNIAL_ENTITLEMENTS_RENEWAL_LEEWAY_SANDBOX")
        #expect(self.page.contains("`\(path.environmentName)`"))
    }
}

extension ConfigurationSection {
    /// `apps[].bundleId` and the like, for every key that takes a value.
    fileprivate static func documentedKeys(below prefix: String) -> [String] {
        self.keys.flatMap { name, schema in
            switch schema {
            case .scalar, .list(.scalar), .map: [prefix + name]
            case .section(let section): section.documentedKeys(below: prefix + name + ".")
            case .list(.section(let section)): section.documentedKeys(below: prefix + name + "[].")
            case .list: [prefix + name + "[]"]
            }
        }
    }
}
