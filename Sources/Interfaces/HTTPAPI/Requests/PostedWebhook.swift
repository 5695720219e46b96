import StrictJSON
import Webhooks

/// The body that makes a webhook endpoint or replaces what it wants.
struct PostedWebhook {
    private static let wishMembers = ["url", "description", "format", "types", "environments", "bundleIds"]

    let wish: WebhookEndpoint.Wish
    let algorithm: WebhookKey.Algorithm
    let start: WebhookRegistry.Start

    /// - Parameter isNew: the members of a new endpoint alone are known as well.
    init(_ body: [UInt8], isNew: Bool) throws(Problem) {
        var url: String?
        var wish = WebhookEndpoint.Wish(url: "")
        var (format, algorithm, start): (String?, String?, String?)
        let names = Self.wishMembers + (isNew ? ["algorithm", "from"] : [])
        try PostedMembers.read(body, knowing: names) { (key, json) throws(JSONError) in
            switch key {
            case "url": url = try json.text()
            case "description": wish.description = try json.text(maximumBytes: 512)
            case "format": format = try json.text()
            case "types": wish.types = try Self.texts(&json)
            case "environments": wish.environments = try Self.texts(&json)
            case "bundleIds": wish.bundleIDs = try Self.texts(&json)
            case "algorithm" where isNew: algorithm = try json.text()
            case "from" where isNew: start = try json.text()
            default: return false
            }
            return true
        }
        guard let url else { throw .missing("url") }
        for environment in wish.environments where EnvironmentName(rawValue: environment) == nil {
            let known = EnvironmentName.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.malformedBody, "environments holds what is none of \(known)")
        }
        wish.url = url
        wish.format = try Self.word(format, "format") ?? .change
        self.wish = wish
        self.algorithm = try Self.word(algorithm, "algorithm") ?? .hmac
        self.start = try Self.word(start, "from") ?? .now
    }

    /// One of the words of an enumeration.
    static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String?, _ member: String
    ) throws(Problem) -> Word? where Word.RawValue == String {
        guard let text else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.malformedBody, "\(member) is none of \(known)")
        }
        return word
    }

    private static func texts(_ json: inout JSONScanner) throws(JSONError) -> [String] {
        var texts: [String] = []
        try json.beginArray()
        while try json.nextElement() { texts.append(try json.text(maximumBytes: 128)) }
        return texts
    }
}

/// The body of `POST /v1/webhooks/{webhook}/rotate`.
struct PostedRotation {
    /// A day, by default.
    private static let defaultOverlap: Int64 = 86_400
    private static let longestOverlap: Int64 = 30 * 86_400

    /// nil for the one that signs now.
    let algorithm: WebhookKey.Algorithm?
    /// Seconds.
    let overlap: Int64

    init(_ body: [UInt8]) throws(Problem) {
        var algorithm: String?
        var overlap = Self.defaultOverlap
        try PostedMembers.read(body, knowing: ["algorithm", "overlapSeconds"]) { (key, json) throws(JSONError) in
            switch key {
            case "algorithm": algorithm = try json.text()
            case "overlapSeconds": overlap = try json.integer()
            default: return false
            }
            return true
        }
        guard (0...Self.longestOverlap).contains(overlap) else {
            throw Problem(.malformedBody, "overlapSeconds is not 0 to \(Self.longestOverlap)")
        }
        self.algorithm = try PostedWebhook.word(algorithm, "algorithm")
        self.overlap = overlap
    }
}
