import AppStore
import Hummingbird
import Logging
import NIOCore
import ServiceContract
import SubscriptionService

/// From a request to its answer: finds the route, asks whether the caller may, and makes problems of what goes wrong.
struct APIResponder: HTTPResponder {
    let routes: RouteTable
    let api: API
    let admission: Admission
    let browserGuard: BrowserGuard

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let fields = RequestFields(request.headers)
        let id = RequestID(fields)
        var route: Route?
        var response: Response
        do {
            response = try await self.answer(request, fields, on: context.channel, &route)
        } catch {
            var problem = Problem(error)
            if problem.status == .internalServerError {
                let cause = (error as? ServiceError).map { "\($0.message) (\($0.location))" } ?? "\(type(of: error))"
                context.logger.error("A request failed", metadata: ["request.id": "\(id.text)", "error": "\(cause)"])
                if route?.access == .signature { problem = problem.askingForRedelivery() }
            }
            response = problem.response()
        }
        response.headers[.requestID] = id.text
        if fields.connection?.lowercased() == "close" { response.headers[.connection] = "close" }
        let path = route?.path ?? HTTPMetrics.noRoute
        self.api.metrics.recordAnswer(route: path, status: response.status.code)
        context.logger.debug(
            "A request was answered",
            metadata: ["request.id": "\(id.text)", "route": "\(path)", "status": "\(response.status.code)"])
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// - Parameter found: the route, as soon as it is known, for whoever describes what became of the request.
    private func answer(
        _ request: Request, _ fields: RequestFields, on connection: any Channel, _ found: inout Route?
    ) async throws -> Response {
        let authority = try self.browserGuard.authority(of: request.head, fields)
        let target = request.head.path ?? ""
        let path = Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        let (route, arguments) = try self.routes.route(request.method, path)
        found = route

        try self.browserGuard.check(fields, to: authority, for: route.access, isSafe: route.method == .get)
        try self.api.authorizer.authorize(fields, for: route.access)
        if let expectation = fields.expect, expectation.lowercased() != "100-continue" {
            throw Problem(.expectationFailed, "only Expect: 100-continue is known")
        }
        // Apple calls the address that it was given, whatever is in its query.
        let queryText = route.access == .signature ? "" : Substring(target.utf8.dropFirst(path.utf8.count + 1))
        let query = try Query(queryText, allowing: route.parameters)
        let call = Call(
            fields: fields, stream: request.body, arguments: arguments, query: query, admission: self.admission,
            connection: connection)
        // A request with a body counts from when that has come.
        guard !route.isUnlimited, !route.takesBody else { return try await route.handler(self.api, call) }
        return try await self.admission.asRequest { try await route.handler(self.api, call) }
    }
}

/// Nothing but the connection and its logger: routes get what they need from `Call`.
struct ConnectionContext: InitializableFromSource {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        self.channel = source.channel
        self.logger = source.logger
    }
}

extension Problem {
    /// Whatever was thrown. What nobody expected is a mistake of ours, and its text stays in the log.
    fileprivate init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as ServiceError: self.init(error)
        default: self.init(.internalError, "the log of this node has more under the request id")
        }
    }
}
