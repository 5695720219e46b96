import ArgumentParser

struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Finds what an identifier leads to, of whatever kind it is.",
        discussion: """
            It may be an original transaction id, an appAccountToken, an appTransactionId or a customer's id. Exit 3 where nothing is
            found.

            Example:
              perennial find 2000000000000001
              perennial find a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
            """)

    @Argument(help: "The identifier.")
    var identifier: String
    @OptionGroup var node: NodeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let answer = try await self.node.client().get(["v1", "find"], query: [("q", self.identifier)])
        let customer = answer["customerId"]?.plain
        let streams = answer["streams"]?.items ?? []
        switch self.output.output {
        case .json: Console.print(answer.serialized)
        case .table:
            if let customer { Console.print("customer \(customer.escapingControls)") }
            if !streams.isEmpty { Self.table(of: streams).lines.forEach(Console.print) }
        }
        guard customer != nil || !streams.isEmpty else { throw CommandFailure("nothing is found", status: 3) }
    }

    private static func table(of streams: [JSONFragment]) -> TextTable {
        var table = TextTable(["KIND", "ID", "BUNDLE", "ENVIRONMENT", "BECAUSE"])
        for stream in streams {
            table.add(
                ["kind", "originalTransactionId", "bundleId", "environment"].map { stream[$0]?.plain ?? "-" }
                    + [(stream["because"]?.items ?? []).compactMap(\.plain).joined(separator: ", ")])
        }
        return table
    }
}
