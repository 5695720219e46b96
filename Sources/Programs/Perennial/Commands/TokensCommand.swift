import ArgumentParser
import HTTPAPI
import StrictJSON
import Subscriptions

struct TokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "API tokens for backends.",
        discussion: """
            Example:
              perennial tokens new --scope read
            """,
        subcommands: [New.self])

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token: prints it once, and what to write into the configuration.",
            discussion: """
                Only the token's SHA-256 goes into the configuration; the token itself is kept nowhere. Keep it \
                where the backend reads its secrets.

                Example:
                  perennial tokens new --scope read
                  perennial tokens new --name web --scope read --scope write
                """)

        @Option(help: "Whose token it is; shown in logs.")
        var name = "backend"

        @Option(name: [.customLong("scope")], help: "What it may do: read, write or admin. Repeat for several.")
        var scopes: [Scope]

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard self.name.isIdentifier else {
                throw ValidationError("--name is 1 to 128 visible ASCII characters without spaces.")
            }
        }

        func run() {
            let token = APIToken()
            let scopes = Set(self.scopes).map(\.rawValue).sorted()
            switch self.output.output {
            case .table:
                Console.print("token (shown only now): \(token.text)")
                Console.print("")
                Console.print("http:")
                Console.print("  tokens:")
                Console.print("    - name: \(self.name)")
                Console.print("      sha256: \(token.sha256)")
                Console.print("      scopes: [\(scopes.joined(separator: ", "))]")
            case .json:
                Console.print(
                    JSONWriter.text { json in
                        json.member("token", token.text)
                        json.member("name", self.name)
                        json.member("sha256", token.sha256)
                        json.member("scopes") { json in json.array { json in for scope in scopes { json.value(scope) } }
                        }
                    })
            }
        }
    }
}

extension Scope: ExpressibleByArgument {}
