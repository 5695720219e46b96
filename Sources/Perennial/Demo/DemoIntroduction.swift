import AppStoreSimulator

/// What the demo prints first: where things are, and commands that work as they stand.
struct DemoIntroduction {
    let address: String
    let simulatorAddress: @Sendable () -> String
    /// A file with a token, when the configuration asks for tokens.
    let tokenFile: String?
    let database: String

    func lines(first: Duration?) -> [String] {
        let program = CommandLine.arguments.first.flatMap { $0.contains("/") ? $0 : nil } ?? "perennial"
        let node =
            (self.address == "http://127.0.0.1:8080" ? "" : " --node \(self.address)")
            + (self.tokenFile.map { " --token-file \($0)" } ?? "")
        let header = self.tokenFile.map { " -H \"Authorization: Bearer $(cat \($0))\"" } ?? ""
        let customers = NamedCustomer.all
        let anna = customers[0].originalTransactionID
        var lines = [
            "Perennial    \(self.address)", "App Store    \(self.simulatorAddress()) (simulated)",
            "Database     \(self.database)", "",
        ]
        if let first {
            lines += ["First entitlement answered after \(Double(Int(first / .milliseconds(1))) / 1_000) s.", ""]
        }
        lines += ["Customers to follow:"]
        lines += customers.map { "  \($0.originalTransactionID)  \($0.name): \($0.story)" }
        lines += ["", "Try in another terminal:"]
        lines += [
            "  \(program) check --subscription \(anna) --entitlement pro\(node)",
            "  \(program) subscription show \(anna)\(node)",
            "  \(program) subscription history \(anna)\(node)",
            "  \(program) subscription explain \(anna)\(node)",
            "  \(program) events tail\(node)",
            "  curl -s\(header) \(self.address)/v1/subscriptions/\(anna)",
            "  curl -s\(header) \(self.address)/metrics",
            "  curl -s \(self.simulatorAddress())/truth/\(anna)",
        ]
        return lines + ["", "Ctrl-C stops; the same command goes on from there.", ""]
    }
}
