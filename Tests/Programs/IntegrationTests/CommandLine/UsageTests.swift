import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct UsageTests {
    static let commands = [
        "serve", "demo", "simulate", "simulate corpus", "simulate scenario", "simulate life", "simulate compare",
        "verify", "subscription",
        "subscription show", "subscription history", "subscription explain", "subscription refresh",
        "subscription extend",
        "check", "events", "events tail", "notifications", "notifications test", "notifications backfill", "reconcile",
        "reconcile run", "reconcile watch", "reconcile report", "consumption", "consumption reply",
        "webhooks", "webhooks create", "webhooks list", "webhooks show", "webhooks update", "webhooks delete",
        "webhooks rotate", "webhooks test", "webhooks replay", "webhooks dead-letters",
        "quarantine", "quarantine list", "quarantine replay", "cluster", "cluster status", "cluster finalize", "shards",
        "shards list", "shards move", "store", "store copy", "keys", "keys new", "keys show", "tokens", "tokens new",
        "config", "config check",
        "version",
    ]

    @Test(arguments: Self.commands)
    func helpHasAnExampleThatNamesTheCommand(_ command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let result = try await PerennialProcess(arguments: words + ["--help"]).result()

        #expect(result.status == 0)
        let example = try #require(result.output.components(separatedBy: "Example:\n").dropFirst().first)
        #expect(example.contains("perennial \(words[0])"))
    }

    @Test(arguments: [
        ["nonsense"], ["subscription", "nonsense", "1"], ["config", "check"], ["keys", "show"],
        ["simulate", "--keys", "/tmp/none", "--history", "2700"], ["check"], ["check", "--subscription"], ["serve"],
        ["serve", "--config", "a", "--prot", "1"],
        ["demo", "--speed", "fast"], ["simulate"], ["simulate", "--keys", "/tmp/none", "--lose", "2"],
        ["simulate", "life"], ["simulate", "life", "a", "--months", "0"], ["simulate", "scenario", "a"],
        ["simulate", "life", "a", "--from", "2037-06-01T00:00:00Z"], ["simulate", "life", "a", "--from", "soon"],
        ["simulate", "corpus"], ["tokens", "new", "--name", "web"],
        ["simulate", "--keys", "/tmp/none", "--reorder", "2"], ["simulate", "--keys", "/tmp/none", "--limits", "0"],
        ["simulate", "--keys", "/tmp/none", "--history", "0"],
        ["simulate", "compare"], ["simulate", "compare", "--keys", "/tmp/none", "--moments=-1"],
        ["simulate", "compare", "--keys", "/tmp/none", "--at", "yesterday"],
        ["simulate", "compare", "--keys", "/tmp/none", "--customers", "--moments", "3"],
        ["simulate", "compare", "--keys", "/tmp/none", "--customers", "--at", "2026-05-01T12:00:00Z"],
        ["simulate", "compare", "--keys", "/tmp/none", "--consistency", "local"],
        ["simulate", "compare", "--keys", "/tmp/none", "--customers", "--consistency", "certain"],
        ["simulate", "--keys", "/tmp/none", "--backend", "nowhere"],
        ["simulate", "--keys", "/tmp/none", "--backend-token-file", "/tmp/none"],
        ["tokens", "new", "--name", "web", "--scope", "rite"],
        ["verify", "--bundle-id", "a", "--environment", "Prod"], ["version", "--output", "xml"],
        ["verify", "--bundle-id", "a", "--environment", "Sandbox"],
        ["check", "--subscription", "1", "--node", "localhost"],
        ["check", "--subscription", "1", "--purchase", "2"], ["check", "--entitlement", "pro"],
        ["check", "--subscription", "1", "--consistency", "foo"],
        ["check", "--subscription", "1", "--environment", "Prod"],
        ["subscription", "show", "1", "--at", "yesterday"], ["subscription", "history", "1", "--at", "2026-13-01"],
        ["subscription", "explain", "1", "--at", ""], ["serve", "--config", "a", "--port", "70000"],
        ["demo", "--port", "70000"], ["demo", "--subscribers=-3"], ["demo", "--subscribers", "0"],
        ["demo", "--speed", "0"], ["demo", "--speed", "1000001"], ["demo", "--speed", "nan"],
        ["subscription", "history", "1", "--evidence"], ["store", "copy"], ["store", "copy", "--from", "a"],
        ["store", "copy", "--config", "a"], ["store", "copy", "--from", "postgresql://a", "--to", "postgresql://b"],
        ["store", "copy", "--from", "a", "--to", "sqlite://b"], ["store", "copy", "--from", "a", "--to", "b"],
        ["cluster", "status", "--output", "xml"], ["cluster", "status", "--node", "localhost"],
        ["cluster", "finalize", "2"], ["cluster", "finalize", "--output", "xml"],
        ["shards", "list", "1"], ["shards", "move"], ["shards", "move", "1"], ["shards", "move", "--to", "a"],
        ["shards", "move", "one", "--to", "a"], ["shards", "move", "65536", "--to", "a"],
        ["shards", "move", "1", "--to", ""], ["shards", "move", "1", "--to", "a b"],
        ["webhooks", "create"], ["webhooks", "show"], ["webhooks", "rotate", "a", "--overlap-hours", "721"],
        ["webhooks", "replay", "a"],
        ["webhooks", "replay", "a", "--from", "2026-11-02T00:00:00Z", "--to", "2026-11-01T00:00:00Z"],
        ["webhooks", "replay", "a", "--from", "yesterday", "--to", "2026-11-02T00:00:00Z"],
        ["webhooks", "list", "--output", "xml"], ["webhooks", "list", "a"], ["webhooks", "update", "a"],
        ["webhooks", "delete"], ["webhooks", "test"], ["webhooks", "dead-letters", "a", "--node", "localhost"],
        ["webhooks", "rotate", "a", "--overlap-hours=-1"],
        ["notifications", "test", "--wait=-1"], ["notifications", "test", "--environment", "Prod"],
        ["notifications", "backfill"], ["notifications", "backfill", "--from", "2026-11-01T00:00:00Z"],
        ["notifications", "backfill", "--from", "2026-11-02T00:00:00Z", "--to", "2026-11-01T00:00:00Z"],
        ["notifications", "backfill", "--from", "yesterday", "--to", "2026-11-01T00:00:00Z"],
        ["reconcile", "watch"], ["reconcile", "run", "1"], ["reconcile", "report", "--output", "xml"],
        ["subscription", "refresh"], ["subscription", "extend", "1"],
        ["subscription", "extend", "1", "--days", "0", "--reason", "other"],
        ["subscription", "extend", "1", "--days", "91", "--reason", "other"],
        ["subscription", "extend", "1", "--days", "3", "--reason", "fun"],
        ["subscription", "extend", "1", "--days", "3", "--reason", "other", "--request-identifier", "a b"],
        ["consumption", "reply", "1", "--delivery", "delivered", "--no-sample"],
        ["consumption", "reply", "1", "--consented", "--delivery", "delivered"],
        ["consumption", "reply", "1", "--consented", "--delivery", "lost", "--no-sample"],
        ["consumption", "reply", "1", "--consented", "--delivery", "delivered", "--sample", "--consumed", "100.001"],
        ["consumption", "reply", "1", "--consented", "--delivery", "delivered", "--sample", "--consumed", "1e1"],
        ["consumption", "reply", "1", "--consented", "--delivery", "wrong-item", "--sample", "--consumed", "5"],
    ])
    func badUsageIs2(_ arguments: [String]) async throws {
        let result = try await PerennialProcess(arguments: arguments).result()

        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("Error: "))
    }

    @Test(arguments: [
        (["subscrition", "show", "1"], "'subscrition'. Did you mean 'perennial subscription'?"),
        (["subscription", "shwo", "1"], "'shwo'. Did you mean 'perennial subscription show'?"),
        (["config", "chekc"], "'chekc'. Did you mean 'perennial config check'?"),
        (["simulate", "lief", "a"], "'lief'. Did you mean 'perennial simulate life'?"),
        (["tokens", "frobnicate"], "'frobnicate'. 'perennial tokens' has new."),
    ])
    func `a command that does not exist is named with the nearest one`(
        _ arguments: [String], _ says: String
    ) async throws {
        let result = try await PerennialProcess(arguments: arguments).result()

        #expect(result.status == 2)
        #expect(result.errorLines.first == "Error: Unknown command " + says)
    }

    @Test(arguments: [
        (["demo", "--speed", "-1"], "Error: --speed must be above 0, up to 1000000"),
        (["simulate", "--keys", "/tmp/none", "--speed", "-1"], "Error: simulator: speed must be above 0, up to 1e9"),
        (["simulate", "--keys", "/tmp/none", "--lose", "-.5"], "Error: simulator: lose must be a probability, 0…1"),
        (["simulate", "compare", "--keys", "/tmp/none", "--moments", "-1"], "Error: --moments must be 0…10000."),
    ])
    func `a negative number is a value that is out of bounds`(_ arguments: [String], _ says: String) async throws {
        let result = try await PerennialProcess(arguments: arguments).result()

        #expect(result.status == 2)
        #expect(result.errorLines.first == says)
    }

    @Test func `a history before the first certificate is refused`() async throws {
        let result = try await PerennialProcess.run("simulate", "--keys", "/tmp/none", "--history", "2700")

        #expect(result.status == 2)
        #expect(result.errors.contains("certificates begin on 2021-09-19"))
    }

    @Test func `keys show prints the public key again`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/curve.key"
        let made = try await PerennialProcess.run("keys", "new", "--out", file)
        let shown = try await PerennialProcess.run("keys", "show", file)
        let other = try await PerennialProcess.run("keys", "show", try folder.write("no key", to: "other"))

        #expect(shown.status == 0)
        #expect(shown.output == made.output)
        #expect(
            other.errorLines == ["error: \(folder.path)/other: holds no CURVE key as `perennial keys new` writes it"])
    }

    @Test func nothingAtAllIsHelp() async throws {
        let result = try await PerennialProcess.run()

        #expect(result.status == 0)
        #expect(result.output.contains("SUBCOMMANDS:"))
    }

    @Test func versionNamesTheVersionOnce() async throws {
        let table = try await PerennialProcess.run("version")
        let json = try await PerennialProcess.run("version", "--output", "json")

        #expect(table.output.hasPrefix("perennial 0.1.0 ("))
        #expect(json.output.hasPrefix(#"{"version":"0.1.0","#))
    }

    @Test func aNodeThatDoesNotAnswerIsOneLine() async throws {
        let result = try await PerennialProcess.run(
            "check", "--subscription", "1", "--node", "http://127.0.0.1:1")

        #expect(result.status == 1)
        #expect(result.errorLines == ["error: http://127.0.0.1:1: cannot be reached; is the node running?"])
    }

    @Test func aTokenFileThatIsMissingIsOneLine() async throws {
        let result = try await PerennialProcess.run("events", "tail", "--token-file", "/none/token")

        #expect(result.status == 1)
        #expect(result.errorLines == ["error: /none/token: there is no such file"])
    }
}
