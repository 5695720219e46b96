import StrictJSON
import Subscriptions

/// The body of `PUT /v1/customers/{customerId}`.
struct PostedAttributes {
    /// By name; nil where the attribute is to be removed.
    let changes: [String: AttributeValue?]

    init(_ body: [UInt8]) throws(Problem) {
        var changes: [String: AttributeValue?]?
        var problem: Problem?
        try PostedMembers.read(body, knowing: ["attributes"]) { (key, json) throws(JSONError) in
            guard case "attributes" = key else { return false }
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
            changes = named
            return true
        }
        if let problem { throw problem }
        guard let changes else { throw .missing("attributes") }
        self.changes = changes
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
