/// Leads to one place of a configuration; printed as `apps[0].bundleId`.
package struct ConfigurationPath: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    package enum Component: Hashable, Sendable, ExpressibleByStringLiteral {
        case key(String)
        case index(Int)

        package init(stringLiteral key: String) { self = .key(key) }
    }

    package let components: [Component]

    package init(_ components: [Component]) { self.components = components }

    package init(arrayLiteral components: Component...) { self.components = components }

    static func + (path: ConfigurationPath, component: Component) -> ConfigurationPath {
        ConfigurationPath(path.components + [component])
    }

    package var description: String {
        self.components.reduce(into: "") { text, component in
            switch component {
            case .key(let key): text += text.isEmpty ? key : ".\(key)"
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    /// `PERENNIAL_HTTP_PORT` for `http.port`.
    package var environmentName: String {
        self.components.reduce(into: "PERENNIAL") { name, component in
            guard case .key(let key) = component else { return }
            name.append("_")
            var previous: Character?
            for character in key {
                if character.isUppercase, previous?.isLowercase == true { name.append("_") }
                name.append(character.uppercased())
                previous = character
            }
        }
    }
}
