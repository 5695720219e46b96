import ByteCoding
import Foundation
import Yams

extension ConfigurationLayer {
    /// What `base` becomes when this layer is laid over it.
    /// - Throws: for the first key that is not known, and the first value of another form than its key wants.
    func merged(over base: Node, _ section: any ConfigurationSection.Type) throws(ConfigurationError) -> Node {
        try self.merge(self.root, over: base, section, at: [])
    }

    private func value(
        _ given: Node, over base: Node?, _ schema: ConfigurationSchema, at path: ConfigurationPath
    ) throws(ConfigurationError) -> Node {
        switch schema {
        case .scalar(let type):
            guard case .scalar(let scalar) = given, type.canRead(given) else {
                let found = given.scalar.map { "\"\($0.string)\"" } ?? given.form
                throw self.mistake(given, path, "expected \(type.expectation), found \(found)")
            }
            return .scalar(scalar)
        case .list(let element):
            guard case .sequence(let items) = given else {
                throw self.mistake(given, path, "expected a list, found \(given.form)")
            }
            var nodes: [Node] = []
            for (index, item) in items.enumerated() {
                nodes.append(try self.value(item, over: nil, element, at: path + .index(index)))
            }
            return Node(nodes)
        case .map(let value):
            guard case .mapping(let pairs) = given else {
                throw self.mistake(given, path, "expected names and values, found \(given.form)")
            }
            var result = base?.mapping ?? Node.Mapping([])
            for (key, node) in pairs {
                let name = key.string ?? ""
                result[name] = try self.value(node, over: nil, value, at: path + .key(name))
            }
            return .mapping(result)
        case .section(let type):
            return try self.merge(given, over: base ?? type.defaults, type, at: path)
        }
    }

    private func merge(
        _ given: Node, over base: Node, _ type: any ConfigurationSection.Type, at path: ConfigurationPath
    ) throws(ConfigurationError) -> Node {
        guard case .mapping(let pairs) = given, case .mapping(var result) = base else {
            throw self.mistake(given, path, "expected a section with keys, found \(given.form)")
        }
        let known = type.keys
        for (key, node) in pairs {
            let name = key.string ?? ""
            guard let schema = known.first(where: { $0.name == name })?.schema else {
                throw self.mistake(key, path + .key(name), type.refusal(of: name, at: path))
            }
            guard node.null == nil else { continue }  // a key with nothing after it
            result[name] = try self.value(node, over: result[name], schema, at: path + .key(name))
        }
        return .mapping(result)
    }

    private func mistake(_ node: Node, _ path: ConfigurationPath, _ message: String) -> ConfigurationError {
        ConfigurationError(
            place: self.place(of: node), key: path.components.isEmpty ? nil : path.description, message: message)
    }
}

extension ConfigurationScalar {
    fileprivate static func canRead(_ node: Node) -> Bool {
        (try? YAMLDecoder().decode(Self.self, from: node)) != nil
    }
}

extension ConfigurationSection {
    /// A section in which nothing was set.
    static var defaults: Node {
        guard let text = try? YAMLEncoder().encode(Self()), let node = try? Yams.compose(yaml: text) else {
            preconditionFailure("a section of defaults can be written as YAML")
        }
        return node
    }

    fileprivate static func refusal(of name: String, at path: ConfigurationPath) -> String {
        let nearest = self.keys.map(\.name).nearest(to: name) ?? ""
        return "unknown key; the nearest known one is \(path + .key(nearest))"
    }
}

extension Node {
    /// For messages.
    fileprivate var form: String {
        switch self {
        case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "a single value"
        case .mapping: "a section"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}
