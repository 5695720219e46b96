import Hummingbird
import SubscriptionRuntime

extension API {
    /// Who is entitled: one result for each check, in its order, written as asked for or as the checks were.
    func check(_ call: Call) async throws -> Response {
        try await call.withBody(inAnyFormat: { format, body in
            let posted = try PostedChecks(format, body)
            let response = try await self.service.check(
                posted.questions, consistency: posted.consistency, atLeast: try call.atLeast())
            let answer = BodyFormat.answer(accept: call.fields.accept, request: format)
            return Response(
                status: .ok, headers: [.contentType: answer.mediaType],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(bytes: CheckAnswers(posted: posted, response: response).body(as: answer))))
        })
    }
}
