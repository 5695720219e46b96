import ArgumentParser
import StrictJSON
import Subscriptions

extension NotificationsCommand {
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has Apple send a test notification, and says what became of it.",
            discussion: """
                Apple sends it to the URL that App Store Connect has for the environment. Exits 0 when it has arrived, and 1 \
                with the reason when not.

                Example:
                  perennial notifications test
                  perennial notifications test --environment Sandbox --wait 300
                """)

        @Option(help: "For how many seconds Apple is asked what became of it.")
        var wait = 120
        @Option(help: "Apple's token of an earlier test: asks about that one, and for no new one.")
        var token: String?
        @OptionGroup var app: AppOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        /// Apple allows few of these questions, in Sandbox fewer.
        private static let pauses = (shortest: Duration.seconds(2), longest: Duration.seconds(30))

        func validate() throws {
            guard (0...3_600).contains(self.wait) else { throw ValidationError("--wait must be 0…3600.") }
        }

        func run() async throws {
            let client = try self.node.clientThatWaitsForApple()
            let token = try await self.token(from: client)
            let answer = try await self.answer(of: client, token)
            let summary = TestNotificationSummary(answer)
            switch self.output.output {
            case .table:
                summary.lines.forEach(Console.print)
                if summary.state == .pending {
                    Console.print("Ask again later: \(self.command(for: token))")
                }
            case .json: Console.print(Self.document(token, answer))
            }
            if summary.state != .arrived { throw ExitCode(1) }
        }

        private func token(from client: NodeClient) async throws -> String {
            if let token { return token }
            let body = JSONWriter.text { json in
                for (name, value) in self.app.members { json.member(name, ifPresent: value) }
            }
            let answer = try await client.post(["v1", "apple", "test-notifications"], body: body)
            guard let token = answer["token"]?.plain else { throw CommandFailure("the node answered without a token") }
            if self.output.output == .table { Console.print("Apple is sending it; waiting for what becomes of it.") }
            return token
        }

        /// The last word, or the one at the end of the wait.
        private func answer(of client: NodeClient, _ token: String) async throws -> JSONFragment {
            let end = ContinuousClock.now + .seconds(self.wait)
            var pause = Self.pauses.shortest
            while true {
                let answer = try await client.get(
                    ["v1", "apple", "test-notifications", token], query: self.app.members)
                let rest = end - ContinuousClock.now
                guard TestNotificationSummary(answer).state == .pending, rest > .zero else { return answer }
                try await Task.sleep(for: min(pause, rest))
                pause = min(pause * 2, Self.pauses.longest)
            }
        }

        private func command(for token: String) -> String {
            let environment = self.app.environment.map { ["--environment", $0.rawValue] } ?? []
            let bundle = self.app.bundleId.map { ["--bundle-id", $0] } ?? []
            let words = ["perennial", "notifications", "test", "--token", token] + environment + bundle
            return words.map { ShellWord($0).description }.joined(separator: " ")
        }

        private static func document(_ token: String, _ answer: JSONFragment) -> String {
            JSONWriter.text { json in
                json.member("token", token)
                for (name, value) in answer.members {
                    json.member(name) { $0.raw(value.serialized.utf8) }
                }
            }
        }
    }
}
