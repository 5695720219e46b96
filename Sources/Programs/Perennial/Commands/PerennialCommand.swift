import ArgumentParser
import Foundation

@main
struct PerennialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "perennial",
        abstract: "Keeps the state of App Store subscriptions, and answers who is entitled.",
        discussion: """
            Example:
              perennial demo
              perennial check --customer u-1001 --entitlement pro

            Exit codes: 0 success, 1 refused or failed, 2 bad usage; `check` exits 3 for "not entitled", 2 for an
            entitlement that the catalog does not have,
            `subscription extend` 4 when nobody knows whether Apple has done it.
            """,
        version: BuildInformation.line,
        subcommands: [
            ServeCommand.self, DemoCommand.self, SimulateCommand.self, VerifyCommand.self, SubscriptionCommand.self,
            CheckCommand.self, CatalogCommand.self, CustomerCommand.self, FindCommand.self, EventsCommand.self,
            NotificationsCommand.self,
            ReconcileCommand.self,
            ConsumptionCommand.self, WebhooksCommand.self, QuarantineCommand.self, ClusterCommand.self,
            ShardsCommand.self,
            StoreCommand.self, JobCommand.self, KeysCommand.self, TokensCommand.self, ConfigCommand.self,
            VersionCommand.self,
        ])

    static func main() async {
        EarlySignals.release()
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()))
        if let mistake = words.unknownCommand(of: Self.self) {
            Console.complain("Error: \(mistake)\n  See 'perennial --help' for more information.")
            Foundation.exit(2)
        }
        do {
            var command = try await Self.asyncParseAsRoot(words.joiningNegativeNumbers)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(Self.report(error))
        }
    }

    /// Says what went wrong, and gives the exit code for it.
    private static func report(_ error: any Error) -> Int32 {
        switch error {
        case let status as ExitCode:
            return status.rawValue
        case let error as CommandFailure:
            Console.complain("error: \(error)")
            return error.status
        case let error as ConfigurationError:
            Console.complain("error: \(error)")
            return 1
        default:
            let status = Self.exitCode(for: error)
            let message = Self.fullMessage(for: error)
            status.isSuccess ? Console.print(message) : Console.complain(message)
            return status == .validationFailure ? 2 : status.rawValue
        }
    }
}
