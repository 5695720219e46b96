import ArgumentParser
import StrictJSON

struct CustomerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer", abstract: "A customer, by the publisher's own id: what is theirs, and why.",
        discussion: """
            Example:
              perennial customer show u-1001
              perennial customer link u-1001 2000000000000001 --reason "support case 4711"
              perennial customer unlink u-1001 2000000000000001
              perennial customer move anonymous-7 u-1001
              perennial customer grant u-1001 pro --until 2027-01-31T00:00:00Z --source web --reason "order 4711"
              perennial customer set u-1001 plan=gold
              perennial customer delete u-1001
            """,
        subcommands: [
            Show.self, List.self, Link.self, Unlink.self, Dismiss.self, Move.self, Grant.self, Revoke.self, Set.self,
            Release.self, Undo.self, Delete.self,
        ])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what a customer is entitled to, and all that leads to the customer.",
            discussion: """
                Example:
                  perennial customer show u-1001
                  perennial customer show u-1001 --environment Sandbox --output json
                  perennial customer show u-1001 --at 2026-11-04T20:00:00Z
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Option(help: "Production unless said.")
        var environment: String?
        @OptionGroup var past: PastOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(
                ["v1", "customers", self.customer], query: [("environment", self.environment)] + self.past.query)
            self.output.show(answer)
        }
    }

    /// The purchase that is linked or unlinked.
    struct SubjectOptions: ParsableArguments {
        @Argument(help: "The customer's id.")
        var customer: String
        @Argument(help: "The originalTransactionId.")
        var id: String
        @Flag(help: "It names a one-time purchase.")
        var purchase = false
        @OptionGroup var stream: StreamOptions

        var path: [String] {
            ["v1", "customers", self.customer, self.purchase ? "purchases" : "subscriptions", self.id]
        }
    }

    struct PreviewOptions: ParsableArguments {
        @Flag(help: "Print whose names would begin and end, and change nothing.")
        var preview = false

        var query: [(String, String?)] { self.preview ? [("preview", "true")] : [] }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says that a purchase is a customer's.",
            discussion: """
                Where it is another customer's, customers.transfer decides.

                Example:
                  perennial customer link u-1001 2000000000000001 --reason "support case 4711"
                  perennial customer link u-1001 2000000000000001 --preview
                """)

        @OptionGroup var subject: SubjectOptions
        @OptionGroup var preview: PreviewOptions
        @Option(help: "Why, for people who look at it later.")
        var reason: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().put(
                self.subject.path, query: self.subject.stream.query + self.preview.query,
                body: JSONWriter.text { $0.member("reason", ifPresent: self.reason) })
            self.output.show(answer)
        }
    }

    struct Unlink: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a purchase away from a customer.",
            discussion: """
                Where its token names the customer, it is linked to nobody.

                Example:
                  perennial customer unlink u-1001 2000000000000001
                """)

        @OptionGroup var subject: SubjectOptions
        @OptionGroup var preview: PreviewOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().delete(
                self.subject.path, query: self.subject.stream.query + self.preview.query)
            self.output.show(answer)
        }
    }
}

extension OutputOptions {
    /// A customer, or a preview of what would become of customers.
    func show(_ customer: JSONFragment) {
        switch self.output {
        case .table: customer.customerTable.lines.forEach(Console.print)
        case .json: Console.print(customer.serialized)
        }
    }
}
