import Foundation
import Hummingbird
import Subscriptions

/// What is true of the publisher's customers, and what its backend asks a node for.
extension SimulatorServer {
    func addPublisherRoutes(to router: Router<BasicRequestContext>) {
        router.get("/truth/customers") { request, _ in
            let query = request.uri.queryParameters
            return try self.customers(after: query["after"].map(String.init), limit: query["limit"])
        }
        router.get("/truth/customers/:id") { request, context in
            let id = try context.parameters.require("id")
            return try self.truth(
                ofCustomer: id.removingPercentEncoding ?? id, at: request.uri.queryParameters[values: "at"])
        }
        router.get("/backend") { request, _ in
            let query = request.uri.queryParameters
            return try self.requests(after: query["after"], limit: query["limit"])
        }
    }

    private func customers(after id: String?, limit text: Substring?) throws -> Response {
        let limit = try Self.limit(text)
        // Read first: who becomes known from now on is not part of it.
        let now = self.truths.settled
        guard let (customers, isLast) = self.publisher.customers.customers(after: id, limit: limit) else {
            throw HTTPError(.badRequest, message: "after: no customer of this id is known so far")
        }
        return Self.response(
            CustomerTruthPage(customers: customers, isLast: isLast, now: now, store: self.store).json)
    }

    /// One answer for one moment or none, which is now; a list of answers for several.
    private func truth(ofCustomer id: String, at texts: [Substring]) throws -> Response {
        let answers = try self.moments(texts).map { moment in
            guard
                let answer = CustomerTruthAnswer(
                    id, at: moment, of: self.store, board: self.publisher.customers, truths: self.truths,
                    deliveries: self.deliveries, backend: self.publisher.requests)
            else { throw HTTPError(.notFound, message: "nothing is known of a customer of this id by then") }
            return answer
        }
        return Self.response(to: answers) { $0.write(to: &$1) }
    }

    private func requests(after text: Substring?, limit: Substring?) throws -> Response {
        guard let number = text.map({ Int($0) }) ?? -1, (-1..<Int.max).contains(number) else {
            throw HTTPError(.badRequest, message: "after: the number of a request is expected")
        }
        let (entries, isLast) = self.publisher.requests.entries(after: number, limit: try Self.limit(limit))
        return Self.response(
            try BackendPage(
                entries: entries, isLast: isLast, now: self.truths.settled, writer: self.publisher.writer
            ).json)
    }
}
