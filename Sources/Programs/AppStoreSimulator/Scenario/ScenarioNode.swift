import ByteCoding
import Yams

/// A value of a scenario's text, which knows where it stands.
struct ScenarioNode {
    private let node: Node
    private let file: String

    /// Of a YAML document.
    ///
    /// - Throws: `ScenarioError` for what is too long, empty, or no YAML; for keys written twice; and for anchors and
    ///   aliases, with which a short text could become an endless one.
    init(yaml: String, file: String) throws(ScenarioError) {
        guard yaml.utf8.count <= Scenario.sizeLimit else {
            throw ScenarioError(file: file, message: "longer than 1 MiB")
        }
        do {
            let parser = try Parser(yaml: yaml, encoding: .utf8)
            guard let node = try parser.singleRoot(), node.null == nil else {
                throw ScenarioError(file: file, message: "there is nothing in it")
            }
            self.init(node, in: file)
            try self.refuseAnchors()
            withExtendedLifetime(parser) {}  // its end is the end of the names of anchors
        } catch let error as ScenarioError {
            throw error
        } catch {
            throw ScenarioError(error, in: file, yaml: yaml)
        }
    }

    private init(_ node: Node, in file: String) {
        self.node = node
        self.file = file
    }

    /// Goes no deeper than the first one, so it ends.
    private func refuseAnchors() throws(ScenarioError) {
        guard self.node.anchor == nil else {
            throw self.mistake("anchors and aliases are not known here; write it out")
        }
        for (key, value) in self.pairs ?? [] {
            try key.refuseAnchors()
            try value.refuseAnchors()
        }
        for element in self.elements ?? [] { try element.refuseAnchors() }
    }

    // MARK: What it is

    /// A key with nothing after it.
    var isNothing: Bool { self.node.null != nil }

    /// nil for sections and lists.
    var scalar: String? { self.node.scalar?.string }

    /// nil unless it is a section, or nothing.
    var pairs: [(key: ScenarioNode, value: ScenarioNode)]? {
        if self.isNothing { return [] }
        return self.node.mapping.map { pairs in
            pairs.map { (ScenarioNode($0.key, in: self.file), ScenarioNode($0.value, in: self.file)) }
        }
    }

    /// nil unless it is a list, or nothing.
    private var elements: [ScenarioNode]? {
        if self.isNothing { return [] }
        return self.node.sequence.map { $0.map { ScenarioNode($0, in: self.file) } }
    }

    func list(of what: String) throws(ScenarioError) -> [ScenarioNode] {
        guard let elements = self.elements else { throw self.expected("a list of \(what)") }
        return elements
    }

    // MARK: Mistakes

    func mistake(_ message: String) -> ScenarioError {
        ScenarioError(file: self.file, line: self.node.mark?.line, column: self.node.mark?.column, message: message)
    }

    func expected(_ what: String) -> ScenarioError { self.mistake("expected \(what), found \(self.shown)") }

    /// `unknown act "cancle"; did you mean "cancel"?`
    func unknown(_ what: String, among known: some Sequence<String>) -> ScenarioError {
        let remedy = known.nearest(to: self.scalar ?? "").map { "did you mean \"\($0)\"?" } ?? "there are none"
        return self.mistake("unknown \(what) \(self.shown); \(remedy)")
    }

    /// For messages.
    var shown: String {
        switch self.node {
        case _ where self.isNothing: "nothing"
        case .scalar(let scalar):
            "\"\(scalar.string.prefix(60).filter { !$0.isNewline })\(scalar.string.count > 60 ? "…" : "")\""
        case .mapping: "a section"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}

extension ScenarioError {
    /// What the YAML parser says, shortened to a line.
    fileprivate init(_ error: any Error, in file: String, yaml: String) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(file: file, line: mark.line, column: mark.column, message: "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            self.init(
                file: file, line: context.mark.line, column: context.mark.column,
                message: "\(keys) is written twice in one section")
        case .reader(let problem, let offset, _, _):
            let line = offset.map { yaml.prefix($0).count(where: \.isNewline) + 1 }
            self.init(file: file, line: line, message: "not valid YAML: \(problem)")
        default:
            self.init(file: file, message: "not valid YAML")
        }
    }
}
