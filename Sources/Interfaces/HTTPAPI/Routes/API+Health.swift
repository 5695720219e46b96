import Hummingbird
import PrometheusMetrics
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

extension API {
    /// The process answers; it does not say that it can work.
    func live() -> Response {
        .json { json in json.object { $0.member("status", "alive") } }
    }

    /// Without `for`, a node has to be able to do everything.
    func ready(_ call: Call) throws -> Response {
        let purposes = try call.query.word("for", as: Readiness.Purpose.self).map { [$0] } ?? Readiness.Purpose.allCases
        let readiness = purposes.map { self.service.readiness(for: $0) }
        guard readiness.allSatisfy(\.ready) else {
            var reasons: [String] = []
            for reason in readiness.flatMap(\.reasons) where !reasons.contains(reason) { reasons.append(reason) }
            throw Problem(.notReady, reasons.joined(separator: "; "))
        }
        return .json { json in
            json.object { object in
                object.member("status", "ready")
                object.member("clockOffsetMilliseconds", self.service.clockOffset.rawValue)
            }
        }
    }

    func metrics(_ call: Call) -> Response {
        Response(
            status: .ok, headers: [.contentType: PrometheusPage.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: self.metrics.page(call.admission).text)))
    }
}
