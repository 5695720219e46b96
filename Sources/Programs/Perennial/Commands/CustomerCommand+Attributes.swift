import ArgumentParser
import StrictJSON

extension CustomerCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets attributes of a customer, by name.",
            discussion: """
                A value is a number, true, false, or else a text; in double quotes it is a text whatever it says. A number is one that
                is written in the shortest way: 1.10 is a text. NAME= without a value removes the attribute. Do not store names, addresses or other personal data.

                Example:
                  perennial customer set u-1001 plan=gold seats=5 beta=true
                  perennial customer set u-1001 zip='"12345"' plan=
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Argument(help: "NAME=VALUE, or NAME= to remove it.")
        var attributes: [AttributeArgument]
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let body = JSONWriter.text { json in
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
