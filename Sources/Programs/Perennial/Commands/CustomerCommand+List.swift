import ArgumentParser
import StrictJSON

extension CustomerCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists subscriptions and purchases, and whose they are.",
            discussion: """
                It reads every subscription and purchase of the store. EXPIRES is when the paid period ends, also in grace.

                Example:
                  perennial customer list --state retry
                  perennial customer list --state subscribed --expires-before 2027-01-31T00:00:00Z --product pro.monthly
                  perennial customer list --conflicts
                  perennial customer list --unclaimed
                  perennial customer list --duplicates --output json
                """)

        @Option(help: "subscribed, grace, retry, expired, revoked or owned.")
        var state: String?
        @Option(help: ArgumentHelp("The product that is served.", valueName: "id"))
        var product: String?
        @Option(help: ArgumentHelp("Those that end before this moment.", valueName: "date"))
        var expiresBefore: String?
        @Option(help: ArgumentHelp("Those that end at this moment or later.", valueName: "date"))
        var expiresFrom: String?
        @Flag(help: "Those to which a link was refused and waits for a person.")
        var conflicts = false
        @Flag(help: "Those without a link and without a registered identifier.")
        var unclaimed = false
        @Flag(help: "Those that a customer pays for beside something else that gives the same.")
        var duplicates = false
        @Option(help: "How many to print at most.")
        var limit = 100
        @Option(help: ArgumentHelp("Those of this app alone.", valueName: "id"))
        var bundleId: String?
        @Option(help: "Production unless said.")
        var environment: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard self.limit > 0 else { throw ValidationError("--limit is at least 1.") }
        }

        func run() async throws {
            let client = try self.node.client()
            var table = TextTable(["CUSTOMER", "KIND", "ID", "BUNDLE", "STATE", "PRODUCT", "EXPIRES"])
            var (left, next): (Int, String?) = (self.limit, nil)
            repeat {
                let page = try await client.get(
                    ["v1", "customers"],
                    query: self.query + [("limit", String(min(left, 1_000))), ("after", next)])
                let found = page["customers"]?.items ?? []
                switch self.output.output {
                case .json: found.forEach { Console.print($0.serialized) }
                case .table: found.forEach { table.add(Self.row($0)) }
                }
                left -= found.count
                next = page["next"]?.plain
            } while next != nil && left > 0
            if self.output.output == .table { table.lines.forEach(Console.print) }
            if next != nil { Console.complain("There are more: raise --limit.") }
        }

        private var query: [(String, String?)] {
            [
                ("environment", self.environment), ("bundleId", self.bundleId), ("state", self.state),
                ("product", self.product), ("expiresBefore", self.expiresBefore), ("expiresFrom", self.expiresFrom),
                ("conflicts", self.conflicts ? "true" : nil), ("unclaimed", self.unclaimed ? "true" : nil),
                ("duplicates", self.duplicates ? "true" : nil),
            ]
        }

        private static func row(_ listing: JSONFragment) -> [String] {
            let customers = (listing["customerIds"]?.items ?? []).compactMap(\.plain).joined(separator: ", ")
            return [customers.isEmpty ? "-" : customers]
                + ["kind", "originalTransactionId", "bundleId", "state", "productId"].map { listing[$0]?.plain ?? "-" }
                + [listing["expiresDate"]?.plain ?? listing["validUntil"]?.plain ?? "-"]
        }
    }
}
