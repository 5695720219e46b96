import AppStoreSimulator
import Testing

/// `perennial customer` and `perennial find`, as typed, against a node.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(10)))
struct CustomerCommandTests {
    private func run(_ arguments: String..., at url: String) async throws -> PerennialProcess.Result {
        try await PerennialProcess(arguments: arguments + ["--node", url]).result()
    }

    /// Of a command that is to succeed.
    private func output(_ arguments: String..., at url: String) async throws -> String {
        let result = try await PerennialProcess(arguments: arguments + ["--node", url]).result()
        #expect(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
        return result.output
    }

    @Test func `a customer is linked, granted, moved and found by commands alone`() async throws {
        let fixture = try NodeFixture()
        let life = try fixture.lifecycle(status: 1)
        let id = life.truth.originalTransactionID
        let (process, url) = try await fixture.start()
        try await fixture.post(life.notifications, to: url)

        // Some carry a token: then it is somebody's already.
        let shown = try await self.output("subscription", "show", id, "--output", "json", at: url)
        if let token = shown.firstMatch(of: #/"appAccountToken":"([0-9A-Fa-f-]{36})"/#) {
            let preview = try await self.output("customer", "link", "anon", id, "--preview", at: url)
            #expect(preview == "would be refused: linkedElsewhere\n")
            let unlinked = try await self.output("customer", "unlink", String(token.output.1), id, at: url)
            #expect(unlinked.contains(#/everything +no/#))
        }
        let preview = try await self.output("customer", "link", "anon", id, "--preview", at: url)
        #expect(preview.contains(#/anon +gain +everything/#))
        #expect(try await self.run("customer", "show", "anon", at: url).errors.contains("unknownCustomer"))
        let linked = try await self.output("customer", "link", "anon", id, "--reason", "case 1", at: url)
        #expect(linked.contains(#/everything +yes/#))
        let refused = try await self.run("customer", "link", "other", id, at: url)
        #expect(refused.status == 1 && refused.errors.contains("linkedElsewhere"))
        #expect(try await self.output("customer", "show", "other", at: url).contains("a link was refused: \(id)"))
        let dismissed = try await self.output("customer", "dismiss", "other", id, at: url)
        #expect(!dismissed.contains("a link was refused"))

        let grant = try await self.output(
            "customer", "grant", "anon", "everything", "--permanent", "--id", "g-1", "--source", "web", "--reason",
            "order 1", at: url)
        #expect(grant.contains(#/g-1 +everything/#))
        #expect(try await self.output("customer", "set", "anon", "plan=gold", at: url).contains(#/plan +gold/#))

        let move = try await self.output("customer", "move", "anon", "u-1", "--preview", at: url)
        #expect(move.contains(#/anon +lose +everything/#) && move.contains(#/u-1 +gain +everything/#))
        let moved = try await self.output("customer", "move", "anon", "u-1", "--reason", "signed in", at: url)
        #expect(moved.contains(id) && moved.contains("g-1") && moved.contains("gold"))
        #expect(try await self.output("customer", "show", "anon", at: url) == "moved to u-1\n")
        let back = try await self.run("customer", "move", "u-1", "anon", at: url)
        #expect(back.status == 1 && back.errors.contains("customerMoved"))
        let check = try await self.run("check", "--customer", "anon", "--entitlement", "everything", at: url)
        #expect(check.output.contains("customerMoved") || check.errors.contains("customerMoved"))

        #expect(try await self.output("find", "u-1", at: url).contains("u-1"))
        #expect(try await self.output("find", id, at: url).contains(id))
        #expect(try await self.run("find", "nobody", at: url).status == 3)
        let revoked = try await self.output("customer", "revoke", "anon", "g-1", at: url)
        #expect(revoked.contains(#/g-1 .*20\d\d-\d\d-\d\dT.*20\d\d-/#), "taken back under the old id")
        let unlinked = try await self.output("customer", "unlink", "u-1", id, at: url)
        #expect(unlinked.contains(#/everything +no/#))

        let away = try await self.run("customer", "delete", "anon", at: url)
        #expect(away.status == 1 && away.errors.contains("customerMoved"))
        let deleted = try await self.run("customer", "delete", "u-1", at: url)
        #expect(
            deleted.status == 0 && deleted.output.contains(#/deletion [0-9a-f]+ is done: examined \d+, changed \d+/#))
        for gone in ["anon", "u-1"] {
            #expect(try await self.run("customer", "show", gone, at: url).errors.contains("unknownCustomer"))
        }
        #expect(try await self.output("subscription", "show", id, at: url).contains(id))

        process.terminate()
        let ended = await process.result()
        #expect(ended.status == 0)
        let log = ended.errors + ended.output
        for text in ["anon", "u-1", id, "g-1"] { #expect(!log.contains(text), "the log names \(text)") }
    }
}
