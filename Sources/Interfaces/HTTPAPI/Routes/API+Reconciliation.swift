import Hummingbird
import StrictJSON
import SubscriptionService

/// Long work by which a node catches up with Apple, and what it has found.
extension API {
    /// Answers when the work has begun.
    func startBackfill(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedBackfill(body)
            let job = try self.service.startBackfill(posted.app, from: posted.from, to: posted.to)
            return .json(.accepted) { job.write(to: &$0) }
        }
    }

    /// Takes no body: it is about everything, whichever node owns it.
    func startReconciliation() throws -> Response {
        let job = try self.service.startReconciliation()
        return .json(.accepted) { job.write(to: &$0) }
    }

    func job(_ call: Call) throws -> Response {
        let job = try self.service.job(call.arguments[0])
        return .json { job.write(to: &$0) }
    }

    func reconciliationReport() throws -> Response {
        let report = try self.service.reconciliationReport()
        return .json(reserving: 4_096) { report.write(to: &$0) }
    }
}
