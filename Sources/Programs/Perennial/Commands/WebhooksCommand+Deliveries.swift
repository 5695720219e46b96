import ArgumentParser
import StrictJSON
import Subscriptions

extension WebhooksCommand {
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a new key, and lets the old one sign beside it for a while.",
            discussion: """
                Give the receiver the new key while both sign.

                Example:
                  perennial webhooks rotate whe_2k3j4h5g6f
                  perennial webhooks rotate whe_2k3j4h5g6f --algorithm ed25519 --overlap-hours 48
                """)

        @OptionGroup var target: Target
        @Option(help: "hmac or ed25519; that of the old key unless given.")
        var algorithm: String?
        @Option(help: "How long the old key goes on signing, at most 720 hours.")
        var overlapHours = 24

        func validate() throws {
            guard (0...720).contains(self.overlapHours) else { throw ValidationError("--overlap-hours is 0 to 720.") }
        }

        func run() async throws {
            let answer = try await self.target.node.client().post(
                self.target.path("rotate"),
                body: JSONWriter.text { json in
                    json.member("algorithm", ifPresent: self.algorithm)
                    json.member("overlapSeconds", Int64(self.overlapHours * 3_600))
                })
            switch self.target.output.output {
            case .table: Console.print("key: \(answer["keys"]?.items.first?["key"]?.plain ?? "-")")
            case .json: Console.print(answer.serialized)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a message of the type webhook.test, and says whether it was taken.",
            discussion: """
                Example:
                  perennial webhooks test whe_2k3j4h5g6f
                """)

        @OptionGroup var target: Target

        func run() async throws {
            let answer = try await self.target.node.client().post(self.target.path("test"))
            if self.target.output.output == .json { Console.print(answer.serialized) }
            guard answer["delivered"]?.plain == "true" else {
                throw CommandFailure("not delivered: \(answer["reason"]?.plain ?? "-")")
            }
            if self.target.output.output == .table { Console.print("delivered") }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delivers once more what was recorded in a stretch of time.",
            discussion: """
                Beside what is new, under the ids that it had; a dead letter that is taken now is one no more.

                Example:
                  perennial webhooks replay whe_2k3j4h5g6f --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z
                """)

        @OptionGroup var target: Target
        @Option(help: "The first moment, such as 2026-11-01T00:00:00Z.")
        var from: Moment
        @Option(help: "The first moment that does not belong to it.")
        var to: Moment

        func validate() throws {
            guard self.from < self.to else { throw ValidationError("--from has to be before --to.") }
        }

        func run() async throws {
            self.target.print(
                try await self.target.node.client().post(
                    self.target.path("replay"),
                    body: JSONWriter.text { json in
                        json.member("from", self.from.rfc3339)
                        json.member("to", self.to.rfc3339)
                    }))
        }
    }

    struct DeadLetters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what was given up on, and why.",
            discussion: """
                Example:
                  perennial webhooks dead-letters whe_2k3j4h5g6f
                """)

        @OptionGroup var target: Target

        func run() async throws {
            let client = try self.target.node.client()
            var letters: [JSONFragment] = []
            var cursor: String?
            repeat {
                let page = try await client.get(self.target.path("dead-letters"), query: [("after", cursor)])
                letters += page["deadLetters"]?.items ?? []
                cursor = page["next"]?.plain
            } while cursor != nil
            switch self.target.output.output {
            case .json: letters.forEach { Console.print($0.serialized) }
            case .table:
                var table = TextTable(["AT", "TYPE", "SUBSCRIPTION", "VERSION", "ATTEMPTS", "REASON"])
                for letter in letters {
                    table.add(
                        ["at", "type", "originalTransactionId", "version", "attempts", "reason"].map {
                            letter[$0]?.plain ?? "-"
                        })
                }
                table.lines.forEach(Console.print)
            }
        }
    }
}
