import ArgumentParser
import StrictJSON

extension CustomerCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets attributes of a customer, and registers what leads to the customer.",
            discussion: """
                A purchase that carries a registered token is the customer's, and so is one without a token that was made by a
                registered Apple Account. `customer release` takes that back.

                A value is a number, true, false, or else a text; in double quotes it is a text whatever it says. A number is one that
                is written in the shortest way: 1.10 is a text. NAME= without a value removes the attribute. Do not store names, addresses or other personal data.

                Example:
                  perennial customer set u-1001 plan=gold seats=5 beta=true
                  perennial customer set u-1001 zip='"12345"' plan=
                  perennial customer set u-1001 --token a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Argument(help: "NAME=VALUE, or NAME= to remove it.")
        var attributes: [AttributeArgument] = []
        @Option(help: ArgumentHelp("An appAccountToken to register.", valueName: "uuid"))
        var token: [String] = []
        @Option(help: ArgumentHelp("An appTransactionId to register.", valueName: "id"))
        var appTransaction: [String] = []
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard !self.attributes.isEmpty || !self.token.isEmpty || !self.appTransaction.isEmpty else {
                throw ValidationError("Say what to set: NAME=VALUE, --token or --app-transaction.")
            }
        }

        func run() async throws {
            let body = JSONWriter.text { json in
                for (name, texts) in [("appAccountTokens", self.token), ("appTransactionIds", self.appTransaction)]
                where !texts.isEmpty {
                    json.member(name) { json in json.array { json in texts.forEach { json.value($0) } } }
                }
                guard !self.attributes.isEmpty else { return }
                json.member("attributes") { json in
                    json.object { json in
                        for attribute in self.attributes {
                            json.member(attribute.name) { attribute.value.write(to: &$0) }
                        }
                    }
                }
            }
            self.output.show(try await self.node.client().put(["v1", "customers", self.customer], body: body))
        }
    }
}

extension CustomerCommand {
    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes back what was registered: an identifier leads to the customer no more.",
            discussion: """
                Links stay.

                Example:
                  perennial customer release u-1001 --token a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Option(help: ArgumentHelp("The appAccountToken.", valueName: "uuid"))
        var token: String?
        @Option(help: ArgumentHelp("The appTransactionId.", valueName: "id"))
        var appTransaction: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (self.token == nil) != (self.appTransaction == nil) else {
                throw ValidationError("Give one of --token and --app-transaction.")
            }
        }

        func run() async throws {
            let path = self.token.map { ["tokens", $0] } ?? ["app-transactions", self.appTransaction ?? ""]
            self.output.show(try await self.node.client().delete(["v1", "customers", self.customer] + path))
        }
    }
}

extension AttributeArgument.Value {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .removed: json.null()
        case .boolean(let flag): json.value(flag)
        case .number(let number): json.value(decimal: number)
        case .text(let text): json.value(text)
        }
    }
}
