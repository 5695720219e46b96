import Foundation
import Perennial
import Testing

@Suite struct EffectiveSettingsTests {
    @Test func secretsAreMaskedAndPlacesNamed() throws {
        // given
        let folder = try ConfigurationFolder()
        let hash = String(repeating: "ab", count: 32)
        let yaml = "http:\n  tokens: [ { name: web, sha256: \(hash), scopes: [read, write] } ]\n" + smallest
        try folder.write("perennial.yaml", Data(yaml.utf8))

        // when
        let loaded = try ServerConfiguration.load(
            file: folder.path("perennial.yaml"), environment: ["PERENNIAL_LOG_LEVEL": "debug"])
        let settings = Dictionary(uniqueKeysWithValues: loaded.effectiveSettings.map { ($0.key, $0) })

        // then
        #expect(settings["http.tokens[0].sha256"]?.value == "********")
        #expect(settings["http.tokens[0].scopes"]?.value == "[read, write]")
        #expect(settings["http.tokens[0].name"]?.place == folder.path("perennial.yaml") + ":2")
        #expect(settings["log.level"]?.value == "debug")
        #expect(settings["log.level"]?.place == "PERENNIAL_LOG_LEVEL")
        #expect(settings["http.port"]?.value == "8080")
        #expect(settings["http.port"]?.place == nil)
        #expect(!loaded.effectiveSettings.contains { $0.value.contains("abab") })
    }

    @Test(arguments: [
        "postgresql://u:secret@db/x", "postgresql://u:se?cret@db/x?sslmode=require", "postgresql://u:s@ecret@db/x",
        "postgresql://u:se/cret@db/x", "postgresql://u:s/e@cret@db/x?sslmode=require", "postgresql://u:s/e?cret@db/x",
        "postgresql://db/x?password=secret", "postgresql://db/x?user=u&pass%77ord=secret&sslPassword=secret",
    ])
    func passwordsOfAStoreAreMasked(_ url: String) throws {
        // given
        let folder = try ConfigurationFolder()
        try folder.write("perennial.yaml", Data("store: { url: \"\(url)\" }\n\(smallest)".utf8))
        // when
        let loaded = try ServerConfiguration.load(file: folder.path("perennial.yaml"), environment: [:])
        let shown = try #require(loaded.effectiveSettings.first { $0.key == "store.url" }).value
        // then
        #expect(shown.hasPrefix("postgresql://"))
        #expect(shown.contains("********"))
        #expect(!shown.contains("cret"))
        #expect(shown.contains("db/x"))
    }

    @Test func ofAKeyOnlyTheFileIsShown() throws {
        // given
        let folder = try ConfigurationFolder()
        let section = "\n    serverAPI: { keyId: K1, issuerId: I1, privateKeyFile: AuthKey.p8 }"
        try folder.write("perennial.yaml", Data((smallest + section).utf8))
        // when
        let loaded = try ServerConfiguration.load(file: folder.path("perennial.yaml"), environment: [:])
        let settings = Dictionary(uniqueKeysWithValues: loaded.effectiveSettings.map { ($0.key, $0.value) })
        // then
        #expect(settings["apps[0].serverAPI.keyId"] == "K1")
        #expect(settings["apps[0].serverAPI.privateKeyFile"] == "AuthKey.p8")
        #expect(settings["apps[0].serverAPI.share"] == "0.5")
        let key = try String(contentsOfFile: folder.path("AuthKey.p8"), encoding: .utf8)
        let secret = try #require(key.split(separator: "\n").dropFirst().first)
        #expect(!settings.values.contains { $0.contains(secret) })
    }
}
