import HTTPAPI

extension Route {
    /// Its path with a value for whatever stands in braces.
    var examplePath: String { self.path.replacing(/\{\w+\}/, with: "1") }
}
