import Yams

extension LoadedConfiguration {
    package struct Setting: Hashable, Sendable {
        package let key: String
        package let value: String
        /// nil for a default.
        package let place: String?
    }

    /// Every single value in effect, in the order of the structs. Secrets are masked.
    package var effectiveSettings: [Setting] {
        guard let text = try? YAMLEncoder().encode(self.values), let node = try? Yams.compose(yaml: text) else {
            preconditionFailure("a configuration can be written as YAML")
        }
        return self.settings(node, ServerConfiguration.schema, at: [])
    }

    private static let secrets: Set<ConfigurationPath.Component> = ["sha256"]

    private func settings(_ node: Node?, _ schema: ConfigurationSchema, at path: ConfigurationPath) -> [Setting] {
        guard let node else { return [] }
        switch schema {
        case .scalar:
            return [self.setting(path, node.string ?? "")]
        case .list(.scalar):
            return [self.setting(path, "[\(node.array().compactMap(\.string).joined(separator: ", "))]")]
        case .list(let element):
            return node.array().enumerated().flatMap { index, item in
                self.settings(item, element, at: path + .index(index))
            }
        case .map(let value):
            let names = node.mapping?.keys.compactMap(\.string) ?? []
            return names.sorted().flatMap { self.settings(node[$0], value, at: path + .key($0)) }
        case .section(let section):
            return section.keys.flatMap { self.settings(node[$0.name], $0.schema, at: path + .key($0.name)) }
        }
    }

    private func setting(_ path: ConfigurationPath, _ value: String) -> Setting {
        let isSecret = path.components.last.map(Self.secrets.contains) ?? false
        let shown = isSecret ? "********" : value.maskingPasswords
        return Setting(key: path.description, value: shown, place: self.exactPlace(of: path))
    }
}
