package import StrictJSON

/// A JSON value of an answer, read where it is needed and printed as it came. What is `null` or missing is nil.
package struct JSONFragment: Sendable {
    private let bytes: [UInt8]

    /// - Throws: `JSONError` unless `bytes` are one well-formed document.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        try JSONScanner.validate(bytes)
        self.bytes = bytes
    }

    private init(part bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    package var serialized: String { String(decoding: self.bytes, as: UTF8.self) }

    /// The members of an object, in its order; none of anything else.
    package var members: [(name: String, value: JSONFragment)] {
        (try? self.readMembers()) ?? []
    }

    /// The elements of an array; none of anything else.
    package var items: [JSONFragment] {
        (try? self.readItems()) ?? []
    }

    package subscript(name: String) -> JSONFragment? {
        self.members.first { $0.name == name }?.value
    }

    /// A text without its quotes, any other single value as it is written; nil of objects and arrays.
    package var plain: String? {
        var json = JSONScanner(self.bytes)
        switch try? json.kind() {
        case .text: return try? json.text()
        case .number, .bool: return self.serialized
        case .object, .array, .null, nil: return nil
        }
    }

    private func readMembers() throws(JSONError) -> [(name: String, value: JSONFragment)] {
        var json = JSONScanner(self.bytes)
        var members: [(name: String, value: JSONFragment)] = []
        try json.beginObject()
        while let key = try json.nextKey() {
            members.append((json.text(of: key), JSONFragment(part: try json.rawValue())))
        }
        return members
    }

    private func readItems() throws(JSONError) -> [JSONFragment] {
        var json = JSONScanner(self.bytes)
        var items: [JSONFragment] = []
        try json.beginArray()
        while try json.nextElement() { items.append(JSONFragment(part: try json.rawValue())) }
        return items
    }
}

extension JSONFragment {
    /// An object as two columns, what is null left out.
    package var fieldTable: TextTable {
        var table = TextTable()
        for (name, value) in self.members { table.add([name, value.plain ?? value.serialized]) }
        return table
    }
}

extension JSONWriter {
    /// A document for output.
    static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
