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

    /// What is JSON but no check is refused alone: the other items have to get their answers.
    private static func readItem(_ json: inout JSONScanner) throws(JSONError) -> Item {
        guard try json.kind() == .object else {
            try json.skip()
            return .refused(.invalidCheck)
        }
        var isReadable = true
        var subscription: String?
        var entitlement: String?
        var environment: String?
        var bundleID: String?
        var isOfCustomer = false
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "subscription": subscription = try Self.readID(&json, &isReadable)
            case "entitlement": entitlement = try Self.readText(&json, &isReadable)
            case "environment": environment = try Self.readText(&json, &isReadable)
            case "bundleId": bundleID = try Self.readText(&json, &isReadable)
            case "customer":
                isOfCustomer = true
                try json.skip()
            default: try json.skip()
            }
        }
        guard isReadable else { return .refused(.invalidCheck) }
        if isOfCustomer { return .refused(subscription == nil ? .unsupported : .invalidCheck) }
        guard let subscription, subscription.isIdentifier, bundleID?.isIdentifier ?? true,
            let environment = EnvironmentName(rawValue: environment ?? EnvironmentName.production.rawValue)
        else { return .refused(.invalidCheck) }
        let stream = StreamReference(
            id: subscription, environment: AppStoreEnvironment(rawValue: environment.rawValue),
            bundleID: bundleID.map { BundleID(rawValue: $0) })
        return .question(CheckRequest(stream: stream, entitlement: entitlement))
    }

    /// A text, or the digits of a whole number.
    private static func readID(_ json: inout JSONScanner, _ isReadable: inout Bool) throws(JSONError) -> String? {
        guard try json.kind() == .number else { return try Self.readText(&json, &isReadable) }
        let digits = try json.rawValue()
        if !digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) { isReadable = false }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func readText(_ json: inout JSONScanner, _ isReadable: inout Bool) throws(JSONError) -> String? {
        if try json.kind() == .text { return try json.text() }
        isReadable = false
        try json.skip()
        return nil
    }
}
