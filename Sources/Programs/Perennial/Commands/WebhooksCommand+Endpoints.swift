import ArgumentParser
import StrictJSON

extension WebhooksCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an endpoint, and prints what it verifies deliveries with.",
            discussion: """
                The secret of hmac is printed once; keep it where the receiver reads its secrets. With ed25519 the \
                receiver gets a public key, which is none.

                Example:
                  perennial webhooks create https://example.com/hooks
                  perennial webhooks create https://example.com/hooks --type 'subscription.*' --algorithm ed25519
                  perennial webhooks create https://staging.example.com/v1/apple/notifications --format original
                """)

        @OptionGroup var wish: Wish
        @Option(help: "How deliveries are signed: hmac or ed25519.")
        var algorithm = "hmac"
        @Option(help: "Which events it gets: those from now on, or all from the beginning of the log.")
        var from = "now"
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().post(
                ["v1", "webhooks"],
                body: JSONWriter.text { json in
                    self.wish.write(to: &json)
                    json.member("algorithm", self.algorithm)
                    json.member("from", self.from)
                })
            switch self.output.output {
            case .table:
                Console.print("endpoint: \(answer["id"]?.plain ?? "-")")
                Console.print("key:      \(answer["keys"]?.items.first?["key"]?.plain ?? "-")")
            case .json: Console.print(answer.serialized)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints all endpoints.",
            discussion: """
                Example:
                  perennial webhooks list --output json
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let endpoints = try await self.node.client().get(["v1", "webhooks"])["webhooks"]?.items ?? []
            switch self.output.output {
            case .json: endpoints.forEach { Console.print($0.serialized) }
            case .table:
                var table = TextTable(["ID", "STATE", "TYPES", "URL"])
                for endpoint in endpoints {
                    let types = endpoint["types"]?.items.compactMap(\.plain).joined(separator: ",") ?? ""
                    table.add([
                        endpoint["id"]?.plain ?? "-", endpoint["disabled"]?.plain == nil ? "enabled" : "disabled",
                        types.isEmpty ? "all" : types, endpoint["url"]?.plain ?? "-",
                    ])
                }
                table.lines.forEach(Console.print)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints an endpoint, and how many events it has not taken yet.",
            discussion: """
                Example:
                  perennial webhooks show whe_2k3j4h5g6f
                """)

        @OptionGroup var target: Target

        func run() async throws {
            self.target.print(try await self.target.node.client().get(self.target.path()))
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replaces what an endpoint wants, and enables it.",
            discussion: """
                It goes on where it was. What is not given is as for a new one.

                Example:
                  perennial webhooks update whe_2k3j4h5g6f https://example.com/hooks --type 'subscription.*'
                """)

        @OptionGroup var target: Target
        @OptionGroup var wish: Wish

        func run() async throws {
            let body = JSONWriter.text { self.wish.write(to: &$0) }
            self.target.print(try await self.target.node.client().put(self.target.path(), body: body))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes an endpoint, and its dead letters.",
            discussion: """
                Example:
                  perennial webhooks delete whe_2k3j4h5g6f
                """)

        @OptionGroup var target: Target

        func run() async throws {
            try await self.target.node.client().delete(self.target.path())
            if self.target.output.output == .table { Console.print("deleted") }
        }
    }
}

extension WebhooksCommand.Wish {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("url", self.url)
        json.member("description", self.description)
        json.member("format", self.format)
        for (name, values) in [
            ("types", self.types), ("environments", self.environments), ("bundleIds", self.bundleIDs),
        ] {
            json.member(name) { json in json.array { json in for value in values { json.value(value) } } }
        }
    }
}
