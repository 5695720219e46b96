import StrictJSON

/// The members of a JSON object that a client has sent. Unknown ones do not matter.
struct RequestBody: Sendable {
    private var members: [String: [UInt8]] = [:]

    /// - Throws: `JSONError` for what is no JSON object.
    init(_ bytes: [UInt8]) throws(JSONError) {
        var json = JSONScanner(bytes)
        try json.beginObject()
        while let key = try json.nextKey() { self.members[json.text(of: key)] = Array(try json.rawValue()) }
        try json.end()
    }

    func has(_ name: String) -> Bool { self.members[name] != nil }

    // Each is nil when the member is missing, and when it is something else.

    func text(_ name: String) -> String? { self.read(name) { (json) throws(JSONError) in try json.text() } }
    func integer(_ name: String) -> Int64? { self.read(name) { (json) throws(JSONError) in try json.integer() } }
    func bool(_ name: String) -> Bool? { self.read(name) { (json) throws(JSONError) in try json.bool() } }
    func texts(_ name: String) -> [String]? { self.read(name) { (json) throws(JSONError) in try json.texts() } }

    private func read<Value>(
        _ name: String, _ value: (inout JSONScanner) throws(JSONError) -> Value
    ) -> Value? {
        guard let bytes = self.members[name] else { return nil }
        var json = JSONScanner(bytes)
        return try? value(&json)
    }
}
