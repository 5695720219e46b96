import Hummingbird
import ServiceContract
import SubscriptionService

extension API {
    /// Who is entitled: one result for each check, in its order, written as asked for or as the checks were.
    func check(_ call: Call) async throws -> Response {
        let (format, body) = try await call.body()
        let posted = try PostedChecks(format, body)
        var response = try await self.response(to: posted, call)
        let customers = try await self.customers(of: posted, besides: &response, call)
        let answer = BodyFormat.answer(accept: call.fields.accept, request: format)
        return Response(
            status: .ok, headers: [.contentType: answer.mediaType],
            body: ResponseBody(
                byteBuffer: ByteBuffer(
                    bytes: CheckAnswers(posted: posted, response: response, customers: customers).body(as: answer))))
    }

    /// Where the store cannot be asked, the other items keep their answers.
    private func customers(
        of posted: PostedChecks, besides response: inout CheckResponse, _ call: Call
    ) async throws -> [CustomerResult] {
        guard !posted.customers.isEmpty else { return [] }
        let token = try call.atLeast()
        let questions = posted.customers.map(\.question)
        if let known = try self.service.checkFromMemory(
            questions, besides: response, consistency: posted.consistency, atLeast: token)
        {
            response = known.response
            return known.results
        }
        do {
            let answers = try await call.admission.asRequest { [response] in
                try await self.service.check(
                    questions, besides: response, consistency: posted.consistency, atLeast: token)
            }
            response = answers.response
            return answers.results
        } catch let error as ServiceError {
            guard error.retryable, !posted.questions.isEmpty else { throw error }
            return posted.customers.map { _ in .refused(error.code) }
        }
    }

    /// What memory can answer takes no place from requests that wait, nor they from it.
    private func response(to posted: PostedChecks, _ call: Call) async throws -> CheckResponse {
        let token = try call.atLeast()
        // Without questions there is nothing to wait for.
        if posted.consistency == .local || posted.questions.isEmpty,
            let known = try self.service.checkFromMemory(posted.questions, atLeast: token)
        {
            return known
        }
        return try await call.admission.asRequest {
            try await self.service.check(posted.questions, consistency: posted.consistency, atLeast: token)
        }
    }
}
