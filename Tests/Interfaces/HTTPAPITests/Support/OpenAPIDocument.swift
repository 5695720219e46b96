import Foundation

/// As much of `proto/openapi.yaml` as the tests compare: our own file in our own style, so that lines are enough.
struct OpenAPIDocument {
    struct Operation {
        /// "GET /livez"
        var name: String
        var queryParameters: Set<String> = []
        var text = ""
    }

    /// Parameters that stand in the path or a header.
    private static let elsewhere = [
        "customerId", "originalTransactionId", "shard", "job", "testNotificationToken", "atLeast", "lastEventId",
        "webhook", "grantId", "token", "appTransactionId",
    ]

    let text: String
    private(set) var operations: [Operation] = []
    private(set) var problemCodes: Set<String> = []
    /// By the name of a parameter.
    private(set) var longestTexts: [String: Int] = [:]

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../../proto/openapi.yaml").standardized
        self.text = try String(contentsOf: file, encoding: .utf8)
        let lines = self.text.components(separatedBy: "\n")
        self.readOperations(lines)
        self.readProblemCodes(lines)
        self.readLongestTexts(lines)
    }

    private mutating func readOperations(_ lines: [String]) {
        guard let start = lines.firstIndex(of: "paths:"), let end = lines.firstIndex(of: "components:") else { return }
        var path = ""
        for line in lines[start..<end] {
            let indentation = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indentation)
            if indentation == 2, text.hasSuffix(":") {
                path = String(text.dropLast())
            } else if indentation == 4, text.hasSuffix(":") {
                self.operations.append(Operation(name: "\(text.dropLast().uppercased()) \(path)"))
            } else if !self.operations.isEmpty {
                let last = self.operations.count - 1
                self.operations[last].text += text + "\n"
                let reference = "- { $ref: \"#/components/parameters/"
                if text.hasPrefix(reference) {
                    let name = String(text.dropFirst(reference.count).prefix { $0 != "\"" })
                    if !Self.elsewhere.contains(name) {
                        self.operations[last].queryParameters.insert(name)
                    }
                } else if text.hasPrefix("- name: ") {
                    self.operations[last].queryParameters.insert(String(text.dropFirst(8)))
                }
            }
        }
    }

    private mutating func readProblemCodes(_ lines: [String]) {
        guard let start = lines.firstIndex(of: "    ProblemCode:") else { return }
        for line in lines[(start + 1)...].prefix(while: { $0.hasPrefix("      ") }) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("- ") { self.problemCodes.insert(String(text.dropFirst(2))) }
        }
    }

    private mutating func readLongestTexts(_ lines: [String]) {
        guard let start = lines.firstIndex(of: "  parameters:") else { return }
        var parameter = ""
        for line in lines[(start + 1)...].prefix(while: { $0.hasPrefix("    ") }) {
            if !line.hasPrefix("     ") {
                parameter = String(line.dropFirst(4).dropLast())
            } else if let length = line.split(separator: "maxLength: ").dropFirst().first {
                self.longestTexts[parameter] = Int(length.prefix { $0.isNumber })
            }
        }
    }
}
