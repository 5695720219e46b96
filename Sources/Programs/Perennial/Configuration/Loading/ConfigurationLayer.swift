import Foundation
import Yams

/// One source of settings: the file, an environment variable, or a flag. Later layers win.
struct ConfigurationLayer {
    enum Origin: Hashable {
        case file(String)
        case environment(String)
        case flag(String)
    }

    let origin: Origin
    let root: Node

    /// A single setting from the environment or a flag.
    init(_ value: String, at path: ConfigurationPath, from origin: Origin) {
        self.origin = origin
        self.root = path.components.reversed().reduce(Node(value)) { node, component in
            guard case .key(let key) = component else { preconditionFailure("lists are set in files only") }
            return Node([(Node(key), node)])
        }
    }

    /// - Throws: one line for a file that cannot be read, is no YAML, or names a key twice.
    init(file path: String) throws(ConfigurationError) {
        self.origin = .file(path)
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ConfigurationError(place: path, key: nil, message: FileProblem(error).sentence)
        }
        do {
            self.root = try Yams.compose(yaml: text) ?? Node([(Node, Node)]())
        } catch {
            throw ConfigurationError(yaml: error, in: path)
        }
    }

    /// nil when this layer says nothing about `path`.
    func node(at path: ConfigurationPath) -> Node? {
        var node: Node? = self.root
        for component in path.components {
            switch component {
            case .key(let key): node = node?.mapping?[key]
            case .index(let index): node = node?.sequence.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
        }
        return node
    }

    /// `perennial.yaml:3`, or the name of the variable or flag.
    func place(of node: Node?) -> String {
        switch self.origin {
        case .file(let path): node?.mark.map { "\(path):\($0.line)" } ?? path
        case .environment(let name), .flag(let name): name
        }
    }
}

extension ConfigurationError {
    /// What the YAML parser says, shortened to a line.
    fileprivate init(yaml error: any Error, in path: String) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(place: "\(path):\(mark.line)", key: nil, message: "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.sorted().joined(separator: ", ")
            self.init(place: "\(path):\(context.mark.line)", key: keys, message: "written twice in one section")
        default:
            self.init(place: path, key: nil, message: "not valid YAML in UTF-8")
        }
    }
}
