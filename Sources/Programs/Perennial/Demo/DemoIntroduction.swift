import AppStoreSimulator
import Foundation

/// What the demo prints first: where things are, what goes on, and commands that work as they stand.
struct DemoIntroduction {
    let address: String
    /// A file with a token, when the configuration asks for tokens.
    let tokenFile: String?
    let database: String
    let customers: [FollowedCustomer]
    let speed: Double
    let isLossy: Bool
    let isGoingOn: Bool

    /// A customer who has access, by a subscription, and an entitlement that it grants.
    struct Sample {
        let customer: String
        let originalTransactionID: String
        let entitlement: String?
    }

    /// - Parameter width: of the terminal, for text; what is copied stays in one line.
    func head(simulator: String, width: Int) -> [String] {
        [
            "Perennial    \(self.address)", "App Store    \(simulator) (simulated)",
            "Database     \(self.database)", "",
            ("Customers of a made-up app buy, renew, run out of money, come back and leave. The App Store signs what "
                + "happens and posts it to Perennial, which checks the signatures, writes the facts down and answers who "
                + "has access. \(self.pace)\(self.network)").wrapped(to: width),
            ("The app's own backend knows its customers by ids of its own. It posts what their devices have bought, says who "
                + "has signed in, and grants what is paid on the web.").wrapped(to: width),
            "Two services follow along: one subscribes to the stream, the other gets webhooks.".wrapped(to: width),
        ] + (self.isGoingOn ? ["It goes on where it stopped."] : []) + [""]
    }

    func lines(sample: Sample, first: Duration, simulator: String, width: Int) -> [String] {
        let id = sample.originalTransactionID
        let customer = ShellWord(sample.customer)
        let path = Self.pathPart(sample.customer)
        let program = Self.program
        let entitlement = sample.entitlement.map { " --entitlement \(ShellWord($0))" } ?? ""
        let header = self.tokenFile.map { " -H \"Authorization: Bearer $(cat \(ShellWord($0)))\"" } ?? ""
        return ["First entitlement answered after \(Double(Int(first / .milliseconds(1))) / 1_000) s.", ""]
            + ["Customers to follow:"]
            + FollowedCustomer.lines(self.customers).map { $0.wrapped(to: width) }
            + ["", "Try in another terminal:"]
            + [
                "  \(program) check --customer \(customer)\(entitlement)\(self.node)",
                "  \(program) customer show \(customer)\(self.node)",
                "  curl -s\(header) \(self.address)/v1/customers/\(path)/entitlements",
                "  \(program) check --subscription \(id)\(entitlement)\(self.node)",
                "  \(program) subscription show \(id)\(self.node)",
                "  \(program) subscription history \(id)\(self.node)",
                "  \(program) subscription explain \(id)\(self.node)",
                "  \(program) events tail\(self.node)",
                "  curl -s\(header) \(self.address)/v1/subscriptions/\(id)",
                "  curl -sN\(header) -H 'Accept: text/event-stream' \(self.address)/v1/events | head -n 12",
                "  \(program) webhooks list\(self.node)",
                "  curl -s\(header) \(self.address)/metrics",
                "  curl -s \(simulator)/truth/customers/\(path)",
                "  curl -s \(simulator)/truth/\(id)",
                "", "Ctrl-C stops; the same command goes on from there.", "",
            ]
    }

    private var node: String {
        let isDefault =
            self.address == "http://127.0.0.1:8080"
            && ProcessInfo.processInfo.environment["PERENNIAL_NODE"] == nil
        return (isDefault ? "" : " --node \(self.address)")
            + (self.tokenFile.map { " --token-file \(ShellWord($0))" } ?? "")
    }

    private var pace: String {
        switch self.speed {
        case 86_400: "A day passes in a second."
        case 1: "Time passes as it does for us."
        case let speed where speed > 1: "Time passes \(Self.number(speed)) times as fast as for us."
        case let speed: "Time passes at \(Self.number(speed)) of our speed."
        }
    }

    private var network: String {
        self.isLossy
            ? " The network between them is bad: it loses 30 % of the attempts, repeats 30 % of what arrives, delays 30 % "
                + "by up to a day and holds 30 % back behind the next ones."
            : ""
    }

    private static func pathPart(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", ".", "_"])) ?? text
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && value < 1e15 ? String(Int(value)) : String(value)
    }

    /// As it has to be typed, whatever folder the other terminal is in.
    private static var program: ShellWord {
        let typed = CommandLine.arguments.first ?? "perennial"
        return ShellWord(typed.contains("/") ? URL(fileURLWithPath: typed).path : "perennial")
    }
}
