import Hummingbird
import Jobs
import StrictJSON
import SubscriptionService

/// Long work on the whole store, which any node can tell of.
extension API {
    func jobs() async throws -> Response {
        let jobs = try await self.service.allJobs()
        return .json { json in
            json.object { json in
                json.member("jobs") { json in
                    json.array { json in
                        for job in jobs { job.write(to: &json) }
                    }
                }
            }
        }
    }

    /// Answers once the store holds the job.
    func startJob(_ call: Call) async throws -> Response {
        let actor = self.authorizer.name(of: call.fields)
        return try await call.withBody { body in
            let job = try await self.service.start(try PostedJob(body).kind, actor: actor)
            return .json(.accepted) { job.write(to: &$0) }
        }
    }

    func storedJob(_ call: Call) async throws -> Response {
        let job = try await self.service.storedJob(call.arguments[0])
        guard job.kind == .erase else { return .json { job.write(to: &$0) } }
        return .json { self.deletion(job).write(to: &$0) }
    }

    func cancelJob(_ call: Call) async throws -> Response {
        let job = try await self.service.cancelJob(call.arguments[0])
        return .json { job.write(to: &$0) }
    }
}
