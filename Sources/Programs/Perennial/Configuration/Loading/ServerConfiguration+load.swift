import ByteCoding
import Foundation
import Yams

/// A configuration together with where each of its values came from.
package struct LoadedConfiguration {
    package var values: ServerConfiguration
    private let layers: [ConfigurationLayer]

    fileprivate init(values: ServerConfiguration, layers: [ConfigurationLayer]) {
        self.values = values
        self.layers = layers
    }

    /// A mistake in the value at `path`, with the place where it was set.
    package func mistake(_ path: ConfigurationPath, _ message: String) -> ConfigurationError {
        ConfigurationError(place: self.place(of: path), key: path.description, message: message)
    }

    /// Where the value at `path`, or else the section around it, was set; nil for a default.
    private func place(of path: ConfigurationPath) -> String? {
        stride(from: path.components.count, to: 0, by: -1).lazy
            .compactMap { self.exactPlace(of: ConfigurationPath(Array(path.components.prefix($0)))) }.first
    }

    /// Where the value at `path` was set; nil for a default.
    func exactPlace(of path: ConfigurationPath) -> String? {
        self.layers.reversed().lazy.compactMap { layer in layer.node(at: path).map(layer.place) }.first
    }

    /// A path as it was written, relative to the folder of the file that says so, else to the working directory.
    package func resolve(file: String, at path: ConfigurationPath) -> String {
        guard !file.hasPrefix("/"),
            let layer = self.layers.last(where: { $0.node(at: path) != nil }), case .file(let source) = layer.origin
        else { return file }
        let folder = (source as NSString).deletingLastPathComponent
        return folder.isEmpty ? file : (folder as NSString).appendingPathComponent(file)
    }
}

/// A setting that a flag of the command line makes.
package struct ConfigurationFlag {
    let name: String
    let path: ConfigurationPath
    let value: String

    package init(name: String, path: ConfigurationPath, value: String) {
        self.name = name
        self.path = path
        self.value = value
    }
}

extension ServerConfiguration {
    /// The defaults, then the file, then `PERENNIAL_*` variables, then flags; later wins.
    package static func load(
        file: String?, environment: [String: String], flags: [ConfigurationFlag] = []
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var layers: [ConfigurationLayer] = []
        if let file { layers.append(try ConfigurationLayer(file: file)) }
        layers += try Self.layers(from: environment)
        layers += flags.map { ConfigurationLayer($0.value, at: $0.path, from: .flag($0.name)) }
        var node = Self.defaults
        for layer in layers { node = try layer.merged(over: node, Self.self) }
        guard let values = try? YAMLDecoder().decode(Self.self, from: node) else {
            preconditionFailure("what was merged key by key can be decoded")
        }
        return LoadedConfiguration(values: values, layers: layers)
    }

    /// Names that begin like a section's and are no key's are mistakes, and so are those that are nearly a key's; other
    /// `PERENNIAL_*` names are not settings.
    private static func layers(from environment: [String: String]) throws(ConfigurationError) -> [ConfigurationLayer] {
        let paths = Self.scalarPaths()
        let known = Dictionary(uniqueKeysWithValues: paths.map { ($0.environmentName, $0) })
        let sections = Self.keys.map { ConfigurationPath([.key($0.name)]).environmentName + "_" }
        let names = known.keys.sorted()
        var layers: [ConfigurationLayer] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            if let path = known[name] {
                layers.append(ConfigurationLayer(value, at: path, from: .environment(name)))
            } else if name.hasPrefix("PERENNIAL_"), let nearest = names.nearest(to: name),
                sections.contains(where: name.hasPrefix) || name.isMisspelling(of: nearest)
            {
                throw ConfigurationError(
                    place: nil, key: name, message: "unknown variable; the nearest known one is \(nearest)")
            }
        }
        return layers
    }
}

extension ConfigurationSection {
    /// The keys that the environment can set: single values outside lists.
    package static func scalarPaths(below path: ConfigurationPath = []) -> [ConfigurationPath] {
        self.keys.flatMap { name, schema -> [ConfigurationPath] in
            let path = path + .key(name)
            return switch schema {
            case .scalar: [path]
            case .section(let section): section.scalarPaths(below: path)
            case .map: (self.defaults[name]?.mapping?.keys.compactMap(\.string) ?? []).map { path + .key($0) }
            case .list: []
            }
        }
    }
}
