import AppStoreSimulator
import Foundation
import Testing

/// `perennial webhooks` against a node that delivers to somebody who listens.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(10)))
struct WebhooksCommandTests {
    private typealias Event = WebhookReceiver.Event

    private static let always = ["--from", "2000-01-01T00:00:00Z", "--to", "2100-01-01T00:00:00Z"]

    private let receiver = WebhookReceiver()
    private let corpus: SignedCorpus
    private let folder: TemporaryDirectory

    init() throws {
        self.corpus = try SignedCorpus(count: 61, seed: 43)
        self.folder = try TemporaryDirectory()
    }

    /// As much of an endpoint's JSON as is looked at.
    private struct Endpoint: Decodable {
        struct Key: Decodable { var key: String? }

        var id: String
        var url: String
        var description: String
        var types: [String]
        var environments: [String]
        var disabled: String?
        var keys: [Key]

        init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }

    /// Gives `body` a node, and the address that its webhooks may go to.
    private func run(_ body: (NodeProcess, String) async throws -> Void) async throws {
        try await self.receiver.run { address in
            let node = try await NodeProcess.start(
                in: self.folder, root: self.corpus.root,
                sections: """
                    store: { url: "sqlite://\(self.folder.file("perennial.db"))" }
                    webhooks: { allow: ["127.0.0.0/8"] }
                    """)
            try await body(node, "\(address)/hooks")
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
            #expect(!node.process.errorOutput.contains("whsec_"))
        }
    }

    private func webhooks(_ arguments: [String], _ node: NodeProcess) async throws -> PerennialProcess.Result {
        try await PerennialProcess(arguments: ["webhooks"] + arguments + ["--node", node.url]).result()
    }

    /// Of a command that is to succeed.
    private func output(_ arguments: [String], of node: NodeProcess) async throws -> String {
        let result = try await self.webhooks(arguments, node)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        #expect(result.errors.isEmpty, "\(arguments)")
        return result.output
    }

    /// The cells of a table, row by row.
    private func rows(_ table: String) -> [[String]] {
        table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    private func body(_ path: String, of node: NodeProcess) async throws -> String {
        let (status, body) = try await node.get(path)
        #expect(status == 200, "\(path)")
        return String(decoding: body, as: UTF8.self)
    }

    /// Makes an endpoint, and reads what is printed for people.
    private func make(_ arguments: String..., on node: NodeProcess) async throws -> (id: String, key: String) {
        let made = try await self.webhooks(["create"] + arguments, node)
        let lines = try #require(
            made.output.wholeMatch(of: #/endpoint: (whe_[0-9a-z]+)\nkey: {6}(whsec_[0-9A-Za-z+/=]+)\n/#),
            "\(made.errors)")
        #expect(made.status == 0)
        return (String(lines.output.1), String(lines.output.2))
    }

    // MARK: Endpoints

    @Test func anEndpointIsMadeShownChangedAndRemoved() async throws {
        try await self.run { node, address in
            // when: one is made for people, and one for programs
            let (id, _) = try await self.make(
                "\(address)/books", "--description", "for the books", "--environment", "Production", on: node)
            let other = try Endpoint(
                try await self.output(
                    [
                        "create", "\(address)/mail", "--type", "subscription.refunded", "--type", "purchase.*",
                        "--output", "json",
                    ], of: node))
            // then: both are there, and their secrets are not
            #expect(other.keys.count == 1)
            #expect(other.keys.first?.key?.hasPrefix("whsec_") == true)
            let table = try await self.output(["list"], of: node)
            #expect(self.rows(table).first == ["ID", "STATE", "TYPES", "URL"])
            #expect(
                Set(self.rows(table).dropFirst()) == [
                    [id, "enabled", "all", "\(address)/books"],
                    [other.id, "enabled", "subscription.refunded,purchase.*", "\(address)/mail"],
                ])
            let list = try await self.output(["list", "--output", "json"], of: node)
            let items = list.split(separator: "\n").joined(separator: ",")
            #expect(try await self.body("/v1/webhooks", of: node) == #"{"webhooks":[\#(items)]}"#)

            let shown = try await self.output(["show", id, "--output", "table"], of: node)
            #expect(self.rows(shown).contains(["url", "\(address)/books"]))
            #expect(self.rows(shown).contains(["description", "for", "the", "books"]))
            #expect(self.rows(shown).contains(["environments", #"["Production"]"#]))
            #expect(self.rows(shown).contains(["backlog", "0"]))
            let json = try await self.output(["show", id, "--output", "json"], of: node)
            #expect(try await self.body("/v1/webhooks/\(id)", of: node) + "\n" == json)
            for text in [table, list, shown, json] { #expect(!text.contains("whsec_")) }

            // when: it is to want something else
            let changed = try await self.output(
                ["update", id, "\(address)/ledger", "--type", "subscription.*", "--output", "json"], of: node)
            // then: what was not said is as for a new one
            let endpoint = try Endpoint(changed)
            #expect(endpoint.url == "\(address)/ledger")
            #expect(endpoint.types == ["subscription.*"])
            #expect(endpoint.description.isEmpty && endpoint.environments.isEmpty)
            #expect(!changed.contains("whsec_"))
            let again = try await self.output(["update", id, "\(address)/ledger"], of: node)
            #expect(self.rows(again).contains(["types", "[]"]))
            let now = try Endpoint(try await self.body("/v1/webhooks/\(id)", of: node))
            #expect(now.url == "\(address)/ledger" && now.types.isEmpty)

            // when: both are removed
            #expect(try await self.output(["delete", id], of: node) == "deleted\n")
            #expect(try await self.output(["delete", other.id, "--output", "json"], of: node).isEmpty)
            // then
            #expect(try await self.output(["list"], of: node) == "ID  STATE  TYPES  URL\n")
            #expect(try await self.output(["list", "--output", "json"], of: node).isEmpty)
            #expect(try await self.body("/v1/webhooks", of: node) == #"{"webhooks":[]}"#)
            #expect(try await node.get("/v1/webhooks/\(id)").status == 404)
        }
    }

    @Test func whatCannotBeDoneIs1() async throws {
        try await self.run { node, address in
            for arguments in [
                ["show", "whe_none"], ["update", "whe_none", "\(address)/books"], ["delete", "whe_none"],
                ["rotate", "whe_none"], ["test", "whe_none"], ["replay", "whe_none"] + Self.always,
                ["dead-letters", "whe_none"],
            ] {
                for format in ["table", "json"] {
                    let result = try await self.webhooks(arguments + ["--output", format], node)
                    #expect(result.status == 1, "\(arguments)")
                    #expect(result.output.isEmpty, "\(arguments)")
                    #expect(
                        result.errorLines == ["error: unknownWebhook: no webhook endpoint has this id"], "\(arguments)")
                }
            }
            let inside = try await self.webhooks(["create", "https://10.0.0.1/hooks"], node)
            #expect(inside.status == 1)
            #expect(
                inside.errorLines == [
                    "error: invalidRequest: url: the host is in a network that webhooks are not sent to; an operator may "
                        + "name it in webhooks.allow"
                ])
            #expect(try await self.body("/v1/webhooks", of: node) == #"{"webhooks":[]}"#)
        }
    }

    // MARK: Deliveries

    private func send(_ notifications: some Sequence<SignedNotification>, to node: NodeProcess) async throws {
        for notification in notifications { while try await node.notify(notification.signedPayload) != 200 {} }
    }

    /// All events of a node's log.
    private func events(of node: NodeProcess) async throws -> Set<Event> {
        Set(
            try await node.allEvents().compactMap { event in
                guard let stream = event["stream"] as? [String: Any], let kind = stream["kind"] as? String,
                    let id = stream["id"] as? String, let version = event["version"] as? Int
                else { return nil }
                return Event(kind: kind, id: id, version: version)
            })
    }

    /// Waits until a hook has taken all of these.
    private func untilTaken(_ events: Set<Event>, at hook: String) async throws {
        while !self.receiver.events(at: hook).isSuperset(of: events) {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test func aTestIsSignedWithTheKeysThatHold() async throws {
        try await self.run { node, address in
            // given
            let (id, key) = try await self.make("\(address)/books", on: node)
            // when
            #expect(try await self.output(["test", id], of: node) == "delivered\n")
            // then
            #expect(self.receiver.taken.count == 1)
            #expect(self.receiver.taken.last?.type == "webhook.test")
            #expect(self.receiver.taken.last?.isSigned(with: [key]) == true)

            // when: there is a new key, and the old one holds for a while
            let rotated = try await self.output(["rotate", id], of: node)
            let second = try #require(rotated.wholeMatch(of: #/key: (whsec_[0-9A-Za-z+/=]+)\n/#)).output.1
            #expect(second != key)
            #expect(try await self.output(["test", id, "--output", "json"], of: node).contains(#""delivered":true"#))
            // then
            #expect(self.receiver.taken.last?.isSigned(with: [String(second), key]) == true)

            // when: there is another one, and no other holds
            let json = try await self.output(["rotate", id, "--overlap-hours", "0", "--output", "json"], of: node)
            let third = try #require(try Endpoint(json).keys.first?.key)
            #expect(try await self.output(["test", id], of: node) == "delivered\n")
            // then: it alone signs, and the answer held no other
            #expect(self.receiver.taken.last?.isSigned(with: [third]) == true)
            #expect(!json.contains(key) && !json.contains(second))
            #expect(try await !self.output(["show", id], of: node).contains("whsec_"))
            #expect(try await !self.body("/v1/webhooks/\(id)", of: node).contains("whsec_"))

            // when: it is refused
            self.receiver.status = 500
            let refused = try await self.webhooks(["test", id], node)
            let refusedJSON = try await self.webhooks(["test", id, "--output", "json"], node)
            // then
            #expect(refused.output.isEmpty)
            #expect(refusedJSON.output == #"{"delivered":false,"reason":"status 500"}"# + "\n")
            for result in [refused, refusedJSON] {
                #expect(result.status == 1)
                #expect(result.errorLines == ["error: not delivered: status 500"])
            }
        }
    }

    @Test func whatHappensIsDeliveredRepeatedAndHeldBack() async throws {
        try await self.run { node, address in
            // given: a log, and an endpoint that wants what comes
            try await self.send(self.corpus.notifications[..<40], to: node)
            let old = try await self.events(of: node)
            let (id, _) = try await self.make("\(address)/books", on: node)
            // when
            try await self.send(self.corpus.notifications[40..<60], to: node)
            // then
            let all = try await self.events(of: node)
            try await self.untilTaken(all.subtracting(old), at: "books")
            #expect(self.receiver.events(at: "books") == all.subtracting(old))
            #expect(all.count - old.count >= 20)

            // when: it is to have what was before it, too
            let nothing = try await self.output(
                ["replay", id, "--from", "2000-01-01T00:00:00Z", "--to", "2001-01-01T00:00:00Z", "--output", "json"],
                of: node)
            let replayed = try await self.output(["replay", id] + Self.always, of: node)
            // then
            #expect(nothing == #"{"events":0}"# + "\n")
            #expect(self.rows(replayed) == [["events", "\(all.count)"]])
            try await self.untilTaken(all, at: "books")
            // and nothing had to be given up on
            #expect(
                try await self.output(["dead-letters", id], of: node)
                    == "AT  TYPE  SUBSCRIPTION  VERSION  ATTEMPTS  REASON\n")
            #expect(try await self.output(["dead-letters", id, "--output", "json"], of: node).isEmpty)
            #expect(
                try await self.body("/v1/webhooks/\(id)/dead-letters", of: node) == #"{"deadLetters":[],"next":null}"#)

            // when: it says that it is gone
            self.receiver.status = 410
            try await self.send(self.corpus.notifications[60...], to: node)
            while try Endpoint(try await self.body("/v1/webhooks/\(id)", of: node)).disabled == nil {
                try await Task.sleep(for: .milliseconds(50))
            }
            // then
            #expect(
                try await self.rows(self.output(["list"], of: node)).dropFirst() == [
                    [id, "disabled", "all", "\(address)/books"]
                ])
            #expect(
                try await self.rows(self.output(["show", id], of: node))
                    .contains(["disabled", "it", "answered", "status", "410"]))

            // when: it is somewhere else
            self.receiver.status = 204
            let moved = try Endpoint(
                try await self.output(["update", id, "\(address)/ledger", "--output", "json"], of: node))
            // then: it gets there what it has not taken
            #expect(moved.disabled == nil)
            let missed = try await self.events(of: node).subtracting(all)
            #expect(!missed.isEmpty)
            try await self.untilTaken(missed, at: "ledger")
            #expect(self.receiver.events(at: "books") == all)
        }
    }

    @Test func deadLettersComeFromAllPages() async throws {
        // given: a node that has given up on two messages, and tells of one at a time
        func letter(_ id: String, _ version: Int) -> String {
            """
            {"id":"\(id)","type":"subscription.renewed","originalTransactionId":"7","version":\(version),"attempts":10,\
            "reason":"status 500","at":"2026-11-22T23:00:00.000Z"}
            """
        }
        let letters = [letter("msg_1", 2), letter("msg_2", 3)]
        let pages = zip(letters, [#""0/1""#, "null"]).map { letter, next in
            ScriptedNode.Answer(body: #"{"deadLetters":[\#(letter)],"next":\#(next)}"#)
        }
        let node = try await ScriptedNode(["GET /v1/webhooks/whe_1/dead-letters": pages])
        // when
        let json = try await PerennialProcess.run(
            "webhooks", "dead-letters", "whe_1", "--output", "json", "--node", node.url)
        await node.stop()
        // then
        #expect(json.status == 0, "\(json.errors)")
        #expect(json.output == letters.map { $0 + "\n" }.joined())

        // and for people
        let second = try await ScriptedNode(["GET /v1/webhooks/whe_1/dead-letters": pages])
        let table = try await PerennialProcess.run("webhooks", "dead-letters", "whe_1", "--node", second.url)
        await second.stop()
        #expect(table.status == 0, "\(table.errors)")
        #expect(
            self.rows(table.output).dropFirst() == [
                ["2026-11-22T23:00:00.000Z", "subscription.renewed", "7", "2", "10", "status", "500"],
                ["2026-11-22T23:00:00.000Z", "subscription.renewed", "7", "3", "10", "status", "500"],
            ])
    }
}
