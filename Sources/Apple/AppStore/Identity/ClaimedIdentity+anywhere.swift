import StrictJSON
import Subscriptions

extension ClaimedIdentity {
    /// The first bundle id that a payload of any kind names, itself or in the part of a notification. nil where there is none
    /// before something that cannot be read.
    static func bundleID(in json: [UInt8]) -> BundleID? {
        var json = JSONScanner(json)
        return try? Self.bundleID(
            inObject: &json, lookingInto: ["data", "summary", "externalPurchaseToken", "appData"])
    }

    private static func bundleID(
        inObject json: inout JSONScanner, lookingInto parts: Set<String>
    ) throws(JSONError) -> BundleID? {
        try json.beginObject()
        while let key = try json.nextKey() {
            let name = json.text(of: key)
            if name == "bundleId" { return BundleID(rawValue: try json.identifier()) }
            guard parts.contains(name), try json.kind() == .object else {
                try json.skip()
                continue
            }
            if let found = try Self.bundleID(inObject: &json, lookingInto: []) { return found }
        }
        return nil
    }
}
