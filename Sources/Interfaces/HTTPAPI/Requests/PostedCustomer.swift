import StrictJSON
import Subscriptions

/// The body of `PUT /v1/customers/{customerId}`.
struct PostedCustomer {
    /// To be registered, each once.
    private(set) var identifiers: [RegistrableIdentifier] = []
    /// By name; nil where the attribute is to be removed. nil where the request says nothing of attributes.
    private(set) var attributes: [String: AttributeValue?]?

    init(_ body: [UInt8]) throws(Problem) {
        var problem: Problem?
        var texts: [(kind: StreamKind, text: String)]?
        var attributes: [String: AttributeValue?]?
        try PostedMembers.read(
            body, knowing: ["attributes", "appAccountTokens", "appTransactionIds"]
        ) { (key, json) throws(JSONError) in
            switch key {
            case "attributes": attributes = try Self.attributes(&json, &problem)
            case "appAccountTokens": texts = (texts ?? []) + (try json.texts().map { (.token, $0) })
            case "appTransactionIds": texts = (texts ?? []) + (try json.texts().map { (.account, $0) })
            default: return false
            }
            return true
        }
        if let problem { throw problem }
        guard texts != nil || attributes != nil else {
            throw .missing("attributes, appAccountTokens or appTransactionIds")
        }
        self.attributes = attributes
        for (kind, text) in texts ?? [] {
            let identifier = try RegistrableIdentifier(kind, posted: text)
            if !self.identifiers.contains(identifier) { self.identifiers.append(identifier) }
        }
    }

    private static func attributes(
        _ json: inout JSONScanner, _ problem: inout Problem?
    ) throws(JSONError) -> [String: AttributeValue?] {
        var named: [String: AttributeValue?] = [:]
        try json.beginObject()
        while let key = try json.nextKey() {
            let name = json.text(of: key)
            if !name.isIdentifier { problem = problem ?? .badName }
            if try json.passNull() {
                named.updateValue(nil, forKey: name)
            } else if let value = try AttributeValue(&json) {
                named[name] = value
            } else {
                problem = problem ?? .badValue(name)
            }
        }
        return named
    }
}

extension RegistrableIdentifier {
    /// - Throws: what is wrong with a text that cannot be an identifier of this kind.
    init(_ kind: StreamKind, posted text: String) throws(Problem) {
        guard text.isIdentifier, let identifier = Self(kind, text) else {
            throw Problem(
                .malformedBody,
                kind == .token
                    ? "an appAccountToken is a UUID, such as a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
                    : "an appTransactionId is 1 to 128 visible ASCII characters")
        }
        self = identifier
    }
}

extension AttributeValue {
    /// nil for what no attribute can be.
    fileprivate init?(_ json: inout JSONScanner) throws(JSONError) {
        switch try json.kind() {
        case .text: self = .text(try json.text())
        case .bool: self = .boolean(try json.bool())
        case .number:
            let digits = String(decoding: try json.rawValue(), as: UTF8.self)
            guard let number = Double(digits), number.isFinite else { return nil }
            // A whole number is an id to somebody: none of its digits may be lost.
            let isWhole = !digits.contains { ".eE".contains($0) }
            guard !isWhole || Int64(digits).flatMap(Double.init(exactly:)) != nil else { return nil }
            self = .number(number)
        case .object, .array, .null:
            try json.skip()
            return nil
        }
    }
}

extension Problem {
    fileprivate static let badName = Problem(
        .malformedBody, "the name of an attribute is not 1 to 128 visible ASCII characters")

    fileprivate static func badValue(_ name: String) -> Problem {
        Problem(
            .malformedBody,
            "the attribute \(name) is no text, number, true, false or null; a number that loses digits as a double-precision "
                + "one has to be sent as a text")
    }
}
