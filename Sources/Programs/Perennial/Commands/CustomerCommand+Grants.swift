import ArgumentParser
import StrictJSON

extension CustomerCommand {
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a customer access that comes from elsewhere than the App Store.",
            discussion: """
                With --id the command is safe to repeat, and --replace extends or changes the grant of that id.

                Example:
                  perennial customer grant u-1001 pro --until 2027-01-31T00:00:00Z --source web --reason "order 4711"
                  perennial customer grant u-1001 pro --permanent --source support --reason "goodwill" --id case-4711
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Argument(help: "The name of the entitlement, as the catalog has it.")
        var entitlement: String
        @Option(help: "Where it comes from: web, play, support, promotion or a word of yours, at most 32 bytes.")
        var source: String
        @Option(help: "Why, for people who look at it later, at most 100 bytes.")
        var reason: String
        @Option(help: "When it ends, such as 2027-01-31T00:00:00Z.")
        var until: String?
        @Flag(help: "It has no end.")
        var permanent = false
        @Option(help: "When it begins. Now unless said.")
        var from: String?
        @Flag(help: "It is paid again when it ends.")
        var renews = false
        @Option(help: "The grant's id: 1 to 64 visible ASCII characters. One is drawn unless said.")
        var id: String?
        @Flag(help: "Takes the place of the grant of this --id.")
        var replace = false
        @Option(help: "Production unless said.")
        var environment: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard self.permanent == (self.until == nil) else {
                throw ValidationError("Give one of --until and --permanent.")
            }
            guard !self.replace || self.id != nil else {
                throw ValidationError("Say with --id which grant to replace.")
            }
        }

        func run() async throws {
            let path = ["v1", "customers", self.customer, "grants"]
            let body = JSONWriter.text { json in
                json.member("id", ifPresent: self.id)
                json.member("entitlement", self.entitlement)
                json.member("reason", self.reason)
                json.member("source", self.source)
                json.member("from", ifPresent: self.from)
                json.member("until", ifPresent: self.until)
                json.member("permanent", self.permanent)
                json.member("renews", self.renews)
                json.member("environment", ifPresent: self.environment)
            }
            let client = try self.node.client()
            let grant =
                if self.replace, let id = self.id {
                    try await client.put(path + [id], body: body)
                } else {
                    try await client.post(path, body: body)
                }
            self.output.show(grant: grant)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a grant back, now.",
            discussion: """
                Example:
                  perennial customer revoke u-1001 case-4711
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Argument(help: "The grant's id.")
        var grant: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            self.output.show(
                grant: try await self.node.client().delete(["v1", "customers", self.customer, "grants", self.grant]))
        }
    }
}

extension OutputOptions {
    fileprivate func show(grant: JSONFragment) {
        switch self.output {
        case .table: CustomerTable.lines(ofGrants: [grant]).forEach(Console.print)
        case .json: Console.print(grant.serialized)
        }
    }
}
