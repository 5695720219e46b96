import StrictJSON

/// The body of a request that may say why it is made; without one it does not.
struct PostedReason {
    let reason: String?

    private static let longest = 256

    init(_ body: [UInt8]) throws(Problem) {
        var reason: String?
        if !body.isEmpty {
            try PostedMembers.read(body, knowing: ["reason"]) { (key, json) throws(JSONError) in
                switch key {
                case "reason": reason = try json.text()
                default: return false
                }
                return true
            }
        }
        self.reason = try Self.checked(reason)
    }

    static func checked(_ reason: String?) throws(Problem) -> String? {
        guard reason.map({ $0.utf8.count <= Self.longest }) ?? true else {
            throw Problem(.malformedBody, "reason has more than \(Self.longest) bytes")
        }
        return reason
    }
}
