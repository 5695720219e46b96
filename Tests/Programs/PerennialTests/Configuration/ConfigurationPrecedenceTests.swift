import AppStore
import Foundation
import HTTPAPI
import Logging
import Perennial
import Shards
import SubscriptionService
import Subscriptions
import Testing

@Suite struct ConfigurationPrecedenceTests {
    private let folder: ConfigurationFolder

    init() throws { self.folder = try ConfigurationFolder() }

    private static let port = ConfigurationFlag(name: "--port", path: ["http", "port"], value: "4")

    @Test func laterSourcesWin() throws {
        let yaml = "http: { port: 2 }\n" + smallest
        let environment = ["PERENNIAL_HTTP_PORT": "3"]

        #expect(try self.folder.check(smallest).http.main.port == 8080)
        #expect(try self.folder.check(yaml).http.main.port == 2)
        #expect(try self.folder.check(yaml, environment: environment).http.main.port == 3)
        #expect(try self.folder.check(yaml, environment: environment, flags: [Self.port]).http.main.port == 4)
    }

    @Test func aVariableReachesASectionThatTheFileLeavesOut() throws {
        let checked = try self.folder.check(
            smallest,
            environment: ["PERENNIAL_HTTP_PUBLIC_PORT": "9443", "PERENNIAL_ENTITLEMENTS_RENEWAL_LEEWAY_SANDBOX": "7s"])

        #expect(checked.http.outside?.port == 9443)
        #expect(checked.runtime.rules.leeway(in: .sandbox) == .seconds(7))
        #expect(checked.runtime.rules.leeway(in: .production) == .hours(2))
    }

    @Test func aKeyWithNothingAfterItKeepsItsDefault() throws {
        let checked = try self.folder.check("http:\n  port:\nlog:\n" + smallest)

        #expect(checked.http.main.port == 8080)
        #expect(checked.logLevel == .info)
    }

    @Test func variablesThatAreNoSettingsAreLeftAlone() throws {
        let environment = [
            "PERENNIAL_NODE": "http://h", "PERENNIAL_TOKEN": "t", "PERENNIAL_SERVICE_HOST": "10.0.0.1",
            "HTTP_PORT": "x",
        ]
        #expect(try self.folder.check(smallest, environment: environment).http.main.port == 8080)
    }

    @Test func filesAreFoundBesideTheConfigurationThatNamesThem() throws {
        let yaml = "store: { url: \"sqlite://data/perennial.db\" }\n" + smallest

        let fromFile = try self.folder.check(yaml)
        let fromVariable = try self.folder.check(
            yaml, environment: ["PERENNIAL_STORE_URL": "sqlite://data/perennial.db"])

        #expect(fromFile.store == .sqlite(self.folder.path("data/perennial.db")))
        #expect(fromVariable.store == .sqlite("data/perennial.db"))
    }

    @Test func aRootMayBePEM() throws {
        let der = try self.folder.check(smallest)
        let pem = try self.folder.check(smallest.replacing("root.cer", with: "root.pem"))

        let (first, second) = (try #require(der.apps.first), try #require(pem.apps.first))
        #expect(first.roots == second.roots)
        #expect(first.bundleID == second.bundleID)
    }

    @Test func aDemoTakesXcodeAndNoApp() throws {
        let xcode = smallest.replacing("Sandbox", with: "Xcode").replacing("[root.cer]", with: "[]")

        #expect(try self.folder.check(xcode, for: .demo).apps.first?.environments == [.xcode])
        #expect(try self.folder.check("log: { level: debug }", for: .demo).apps.isEmpty)
    }

    @Test func anEmptyFileIsAllDefaults() throws {
        #expect(try self.folder.check("", for: .demo).shardCount == 256)
    }
}
