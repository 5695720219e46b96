import Crypto
import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct TokensCommandTests {
    private struct Made: Decodable {
        let token: String
        let sha256: String
        let scopes: [String]
    }

    @Test func aTokenGoesWithItsHash() async throws {
        let result = try await PerennialProcess.run(
            "tokens", "new", "--name", "web", "--scope", "write", "--scope", "read", "--output", "json")
        let made = try JSONDecoder().decode(Made.self, from: Data(result.output.utf8))

        let hash = SHA256.hash(data: Data(made.token.utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(made.sha256 == hash)
        #expect(made.scopes == ["read", "write"])
        #expect(made.token.count > 40)
    }

    @Test func theSnippetIsWhatAConfigurationTakes() async throws {
        // given
        let folder = try TemporaryDirectory()
        let made = try await PerennialProcess.run("tokens", "new", "--name", "web", "--scope", "read")
        let snippet = made.output.split(separator: "\n").dropFirst().joined(separator: "\n")
        let apps = try NodeFixture.apps(in: folder)

        // when
        let file = try folder.write((snippet + "\n" + apps), to: "perennial.yaml")
        let checked = try await PerennialProcess.run("config", "check", "--config", file)

        // then
        #expect(checked.status == 0)
        #expect(checked.output.contains("http.tokens[0].name"))
        #expect(checked.output.contains("********"))
    }

    @Test func aScopeIsEnough() async throws {
        let result = try await PerennialProcess.run("tokens", "new", "--scope", "read")

        #expect(result.status == 0)
        #expect(result.output.contains("- name: backend"))
    }

    @Test func noTwoAreAlike() async throws {
        let first = try await PerennialProcess.run("tokens", "new", "--name", "web", "--scope", "read")
        let second = try await PerennialProcess.run("tokens", "new", "--name", "web", "--scope", "read")

        #expect(first.output != second.output)
    }
}
