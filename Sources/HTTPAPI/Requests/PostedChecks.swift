import JSONScanning
import SubscriptionRuntime
import Subscriptions

/// The body of `POST /v1/check`.
struct PostedChecks {
    static let maximum = 1_000

    /// One for each check of the body: a question, or why it cannot be asked.
    private(set) var items: [Item] = []
    private(set) var consistency = Consistency.local

    enum Item {
        case question(CheckRequest)
        case refused(ProblemCode)
    }

    /// Those that the service can answer.
    var questions: [CheckRequest] {
        self.items.compactMap { item in
            switch item {
            case .question(let question): question
            case .refused: nil
            }
        }
    }

    init(_ body: [UInt8]) throws(Problem) {
        var hasChecks = false
        var json = JSONScanner(body)
        do {
            try json.beginObject()
            while let key = try json.nextKey() {
                switch key {
                case "checks":
                    hasChecks = true
                    try json.beginArray()
                    while try json.nextElement() {
                        guard self.items.count < Self.maximum else {
                            throw Problem(.tooManyChecks, "more than \(Self.maximum) checks")
                        }
                        self.items.append(try Self.readItem(&json))
                    }
                case "consistency":
                    guard let consistency = Consistency(rawValue: try json.text()) else {
                        throw Problem(.malformedBody, "consistency is none of local, owner, durable")
                    }
                    self.consistency = consistency
                default: try json.skip()
                }
            }
            try json.end()
        } catch let problem as Problem {
            throw problem
        } catch let error as JSONError {
            throw Problem(.malformedBody, error.description)
        } catch {
            throw Problem(.malformedBody, "not readable")
        }
        guard hasChecks else { throw Problem(.malformedBody, "checks is missing") }
    }

    private static func readItem(_ json: inout JSONScanner) throws(JSONError) -> Item {
        var subscription: String?
        var entitlement: String?
        var environment: String?
        var bundleID: String?
        var isOfCustomer = false
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "subscription": subscription = try json.text()
            case "entitlement": entitlement = try json.text()
            case "environment": environment = try json.text()
            case "bundleId": bundleID = try json.text()
            case "customer":
                isOfCustomer = true
                try json.skip()
            default: try json.skip()
            }
        }
        if isOfCustomer { return .refused(subscription == nil ? .unsupported : .invalidCheck) }
        guard let subscription, subscription.isIdentifier, bundleID?.isIdentifier ?? true,
            let environment = EnvironmentName(rawValue: environment ?? EnvironmentName.production.rawValue)
        else { return .refused(.invalidCheck) }
        let stream = StreamReference(
            id: subscription, environment: AppStoreEnvironment(rawValue: environment.rawValue),
            bundleID: bundleID.map { BundleID(rawValue: $0) })
        return .question(CheckRequest(stream: stream, entitlement: entitlement))
    }
}
