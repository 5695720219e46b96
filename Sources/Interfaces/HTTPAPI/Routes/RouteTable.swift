import Hummingbird

/// Finds the route of a request.
struct RouteTable: Sendable {
    /// By path, for paths without braces; nearly every request ends here.
    private var fixed: [String: [Route]] = [:]
    private var patterns: [(segments: [Substring], routes: [Route])] = []

    init(_ routes: [Route]) {
        for (path, routes) in Dictionary(grouping: routes, by: \.path) {
            if path.contains("{") {
                self.patterns.append((path.split(separator: "/"), routes))
            } else {
                self.fixed[path] = routes
            }
        }
    }

    /// The route, and what stands where its path has braces.
    /// - Throws: 404, or 405 with `Allow`.
    func route(_ method: HTTPRequest.Method, _ path: Substring) throws(Problem) -> (Route, [String]) {
        if let routes = self.fixed[String(path)] { return (try Self.select(method, from: routes), []) }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (pattern, routes) in self.patterns where pattern.count == segments.count {
            let pairs = zip(pattern, segments)
            guard pairs.allSatisfy({ $0.0.hasPrefix("{") ? !$0.1.isEmpty : $0.0 == $0.1 }) else { continue }
            let route = try Self.select(method, from: routes)
            var arguments: [String] = []
            for (name, segment) in pairs where name.hasPrefix("{") {
                guard let argument = segment.percentDecoded else {
                    throw .invalidParameter(String(name.dropFirst().dropLast()), "not percent-encoded UTF-8")
                }
                arguments.append(argument)
            }
            return (route, arguments)
        }
        throw Problem(.notFound, "no request has this path")
    }

    private static func select(_ method: HTTPRequest.Method, from routes: [Route]) throws(Problem) -> Route {
        let wanted = method == .head ? .get : method
        if let route = routes.first(where: { $0.method == wanted }) { return route }
        let allowed = routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }.sorted()
        var problem = Problem(.methodNotAllowed, "this path takes \(allowed.joined(separator: ", "))")
        problem.headers[.allow] = allowed.joined(separator: ", ")
        throw problem
    }
}
