import ArgumentParser
import Foundation
import Shards
import StrictJSON
import Subscriptions

struct CatalogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Which products grant which entitlement.",
        discussion: """
            Example:
              perennial catalog check --config perennial.yaml
            """,
        subcommands: [Check.self])

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Holds the catalog of a configuration against the subscriptions and purchases that a node has.",
            discussion: """
                Before a node is given another catalog: prints each product with the names that it would grant, and how many have it. Exit 1 \
                where a product gives access now and the catalog has it under no name, since services that ask by name would then \
                refuse whoever has it. It reads every subscription and purchase of one environment.

                Example:
                  perennial catalog check --config perennial.yaml
                """)

        @Option(help: "The YAML file with the catalog.")
        var config: String
        @Option(help: ArgumentHelp("Of this app alone.", valueName: "id"))
        var bundleId: String?
        @Option(help: "Production unless said.")
        var environment: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let (catalog, rules) = try ServerConfiguration.load(
                file: self.config, environment: ProcessInfo.processInfo.environment
            ).checkEntitlements()
            var review = CatalogReview(catalog, durations: Set(rules.nonRenewingDuration.keys))
            let client = try self.node.client()
            var next: String?
            repeat {
                let page = try await client.get(
                    ["v1", "customers"],
                    query: [
                        ("environment", self.environment), ("bundleId", self.bundleId), ("limit", "1000"),
                        ("after", next),
                    ])
                for listing in page["customers"]?.items ?? [] {
                    guard let product = listing["productId"]?.plain else { continue }
                    review.see(
                        product, isSubscription: listing["kind"]?.plain == "subscription",
                        isEntitled: listing["entitled"]?.plain == "true")
                }
                next = page["next"]?.plain
            } while next != nil
            self.show(review)
            guard review.mistakes.isEmpty else {
                throw CommandFailure(review.mistakes.map(\.escapingControls).joined(separator: "\n"))
            }
        }

        private func show(_ review: CatalogReview) {
            switch self.output.output {
            case .table:
                var table = TextTable(["PRODUCT", "GRANTS", "STREAMS", "GIVE ACCESS"])
                for product in review.products {
                    let names = product.entitlements.joined(separator: ", ")
                    table.add([product.id, names.isEmpty ? "-" : names, "\(product.streams)", "\(product.entitled)"])
                }
                table.lines.forEach(Console.print)
                for warning in review.warnings { Console.complain("warning: \(warning.escapingControls)") }
            case .json:
                Console.print(
                    JSONWriter.text { json in
                        json.member("products") { json in
                            json.array { json in
                                for product in review.products {
                                    json.object { json in
                                        json.member("productId", product.id)
                                        Self.write("entitlements", product.entitlements, to: &json)
                                        json.member("streams", Int64(product.streams))
                                        json.member("entitled", Int64(product.entitled))
                                    }
                                }
                            }
                        }
                        Self.write("mistakes", review.mistakes, to: &json)
                        Self.write("warnings", review.warnings, to: &json)
                    })
            }
        }

        private static func write(_ name: String, _ texts: [String], to json: inout JSONWriter) {
            json.member(name) { json in json.array { json in for text in texts { json.value(text) } } }
        }
    }
}
