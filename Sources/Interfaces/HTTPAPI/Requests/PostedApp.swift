import Reconciliation
import StrictJSON
import Subscriptions

/// The members of a body that name an app, both optional.
struct PostedApp {
    static let members = ["bundleId", "environment"]

    private var bundleID: String?
    private var environment: String?

    /// Takes a value when its key is one of `members`.
    mutating func read(_ key: JSONKey, _ json: inout JSONScanner) throws(JSONError) -> Bool {
        switch key {
        case "bundleId": self.bundleID = try json.text()
        case "environment": self.environment = try json.text()
        default: return false
        }
        return true
    }

    /// nil when neither is there.
    func reference() throws(Problem) -> AppReference? {
        guard self.bundleID != nil || self.environment != nil else { return nil }
        guard self.bundleID?.isIdentifier ?? true else {
            throw Problem(.malformedBody, "bundleId is not 1 to 128 visible ASCII characters")
        }
        guard let environment = EnvironmentName(rawValue: self.environment ?? EnvironmentName.production.rawValue)
        else {
            let known = EnvironmentName.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.malformedBody, "environment is none of \(known)")
        }
        return AppReference(
            bundleID: self.bundleID.map { BundleID(rawValue: $0) },
            environment: AppStoreEnvironment(rawValue: environment.rawValue))
    }
}

/// The body of `POST /v1/apple/test-notifications`.
struct PostedTestNotification {
    let app: AppReference

    init(_ body: [UInt8]) throws(Problem) {
        var app = PostedApp()
        try PostedMembers.read(body, knowing: PostedApp.members) { (key, json) throws(JSONError) in
            try app.read(key, &json)
        }
        self.app = try app.reference() ?? AppReference()
    }
}
