import StrictJSON

/// The members of a body that is one JSON object.
enum PostedMembers {
    /// Has `read` take the value of every member whose key it knows.
    /// - Parameters:
    ///   - names: those that it knows, for the message to callers who send others. What is not known is refused: it may be a
    ///     condition that the caller relies on.
    ///   - emptyTextIsNull: for what a backend passes on. An operator's choice that comes out empty is a mistake.
    static func read(
        _ body: [UInt8], knowing names: [String], emptyTextIsNull: Bool = false,
        _ read: (JSONKey, inout JSONScanner) throws(JSONError) -> Bool
    ) throws(Problem) {
        var unknown: UnknownName?
        do throws(JSONError) {
            var json = JSONScanner(body, emptyTextIsNull: emptyTextIsNull, keepsNull: true)
            try json.beginObject()
            while let key = try json.nextKey() {
                let isNull = try json.passNull()
                if isNull ? names.contains(json.text(of: key)) : try read(key, &json) { continue }
                unknown = unknown ?? UnknownName(json.text(of: key), among: names)
                if !isNull { try json.skip() }
            }
            try json.end()
        } catch {
            throw Problem(.malformedBody, error.description)
        }
        if let unknown { throw .unknownMember(unknown, of: "the body") }
    }
}

extension Problem {
    static func missing(_ member: String) -> Problem { Problem(.malformedBody, "\(member) is missing") }

    /// - Parameter whole: what it is a member of.
    static func unknownMember(_ name: UnknownName, of whole: String) -> Problem {
        Problem(.malformedBody, "\(whole) has \(name.sentence(of: "member"))")
    }
}
