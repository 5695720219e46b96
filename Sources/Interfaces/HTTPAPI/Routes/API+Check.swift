import Hummingbird
import ServiceContract
import SubscriptionService

extension API {
    /// Who is entitled: one result for each check, in its order, written as asked for or as the checks were.
    func check(_ call: Call) async throws -> Response {
        let (format, body) = try await call.body()
        let posted = try PostedChecks(format, body)
        var response = try await self.response(to: posted, call)
        var customers: [CustomerResult] = []
        if !posted.customers.isEmpty {
            let token = try call.atLeast()
            (customers, response.token) = try await call.admission.asRequest { [response] in
                try await self.service.check(posted.customers.map(\.question), besides: response, atLeast: token)
            }
        }
        let answer = BodyFormat.answer(accept: call.fields.accept, request: format)
        return Response(
            status: .ok, headers: [.contentType: answer.mediaType],
            body: ResponseBody(
                byteBuffer: ByteBuffer(
                    bytes: CheckAnswers(posted: posted, response: response, customers: customers).body(as: answer))))
    }

    /// What memory can answer takes no place from requests that wait, nor they from it.
    private func response(to posted: PostedChecks, _ call: Call) async throws -> CheckResponse {
        let token = try call.atLeast()
        if posted.consistency == .local,
            let known = try self.service.checkFromMemory(posted.questions, atLeast: token)
        {
            return known
        }
        return try await call.admission.asRequest {
            try await self.service.check(posted.questions, consistency: posted.consistency, atLeast: token)
        }
    }
}
