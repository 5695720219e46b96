import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

extension PostedChecks {
    private static let members = ["checks", "consistency"]

    init(json body: [UInt8]) throws(Problem) {
        self.init(expecting: body.count / 32)
        var hasChecks = false
        var unknown: Problem?
        var reader = JSONCheckReader()
        var json = JSONScanner(body, keepsNull: true)
        do {
            try json.beginObject()
            while let key = try json.nextKey() {
                if try json.passNull() {
                    unknown = unknown ?? json.unknownNull(key, among: Self.members, of: "the body")
                    continue
                }
                switch key {
                case "checks":
                    hasChecks = true
                    try json.beginArray()
                    while try json.nextElement() { try self.add(try reader.item(&json)) }
                case "consistency":
                    guard let consistency = Consistency(rawValue: try json.text()) else {
                        throw Problem(.malformedBody, "consistency is none of local, owner, durable")
                    }
                    self.consistency = consistency
                default:
                    let name = UnknownName(json.text(of: key), among: Self.members)
                    unknown = unknown ?? .unknownMember(name, of: "the body")
                    try json.skip()
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
        // What is misspelt may be the condition on which access depends.
        if let unknown = unknown ?? reader.unknown { throw unknown }
        guard hasChecks else { throw Problem(.malformedBody, "checks is missing") }
    }
}

/// Reads one check after the other.
private struct JSONCheckReader {
    private var entitlements = StringCache()
    private var bundleIDs = StringCache()
    /// The first member of a check that no check has.
    private(set) var unknown: Problem?

    private static let members = ["subscription", "purchase", "customer", "entitlement", "environment", "bundleId"]

    /// What is JSON but no check is refused alone: the other items have to get their answers.
    mutating func item(_ json: inout JSONScanner) throws(JSONError) -> PostedChecks.Item {
        guard try json.kind() == .object else {
            try json.skip()
            return .refused(.invalidCheck)
        }
        var isReadable = true
        var subscription: ArraySlice<UInt8>?
        var purchase: ArraySlice<UInt8>?
        var entitlement: ArraySlice<UInt8>?
        var environment: ArraySlice<UInt8>?
        var bundleID: ArraySlice<UInt8>?
        var customer: ArraySlice<UInt8>?
        try json.beginObject()
        while let key = try json.nextKey() {
            if try json.passNull() {
                self.unknown = self.unknown ?? json.unknownNull(key, among: Self.members, of: "a check")
                continue
            }
            switch key {
            case "subscription": subscription = try Self.id(&json, &isReadable)
            case "entitlement": entitlement = try Self.text(&json, &isReadable)
            case "environment": environment = try Self.text(&json, &isReadable)
            case "bundleId": bundleID = try Self.text(&json, &isReadable)
            case "purchase": purchase = try Self.id(&json, &isReadable)
            case "customer": customer = try Self.text(&json, &isReadable)
            default:
                self.unknown =
                    self.unknown
                    ?? .unknownMember(UnknownName(json.text(of: key), among: Self.members), of: "a check")
                try json.skip()
            }
        }
        guard isReadable else { return .refused(.invalidCheck) }
        // One subject, and not two. An empty name is not the same as none, which any product would satisfy.
        let subjects = (subscription == nil ? 0 : 1) + (purchase == nil ? 0 : 1) + (customer == nil ? 0 : 1)
        guard subjects == 1, entitlement?.isEmpty != true, bundleID?.isIdentifier ?? true,
            let environment = Self.environment(environment)
        else { return .refused(.invalidCheck) }
        if let customer {
            return PostedChecks.Item(
                customer: customer, environment: environment,
                entitlement: entitlement.flatMap { self.entitlements.text($0) }, hasBundle: bundleID != nil)
        }
        guard let id = subscription ?? purchase, id.isIdentifier else { return .refused(.invalidCheck) }
        return .question(
            CheckRequest(
                subscription == nil ? .purchase : .subscription, id: id, environment: environment,
                bundleID: bundleID.flatMap { self.bundleIDs.text($0) }.map(BundleID.init(rawValue:)),
                entitlement: entitlement.flatMap { self.entitlements.text($0) }))
    }

    private static func environment(_ text: ArraySlice<UInt8>?) -> AppStoreEnvironment? {
        guard let text else { return .production }
        return EnvironmentName(rawValue: String(decoding: text, as: UTF8.self)).map {
            AppStoreEnvironment(rawValue: $0.rawValue)
        }
    }

    /// A text, or the digits of a whole number.
    private static func id(
        _ json: inout JSONScanner, _ isReadable: inout Bool
    ) throws(JSONError) -> ArraySlice<UInt8>? {
        guard try json.kind() == .number else { return try Self.text(&json, &isReadable) }
        let digits = try json.rawValue()
        if !digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) { isReadable = false }
        return digits
    }

    private static func text(
        _ json: inout JSONScanner, _ isReadable: inout Bool
    ) throws(JSONError) -> ArraySlice<UInt8>? {
        if try json.kind() == .text { return try json.textBytes() }
        isReadable = false
        try json.skip()
        return nil
    }
}

extension JSONScanner {
    /// A known member that is null counts as left out. An unknown one is refused: it may be a misspelt condition.
    fileprivate func unknownNull(_ key: JSONKey, among members: [String], of whole: String) -> Problem? {
        let name = self.text(of: key)
        return members.contains(name) ? nil : .unknownMember(UnknownName(name, among: members), of: whole)
    }
}
