import Hummingbird
import StrictJSON
import SubscriptionService
import Subscriptions
import Webhooks

/// What the routes work with. They translate, and decide nothing: that is the service's.
struct API: Sendable {
    let service: SubscriptionService
    let webhooks: WebhookRegistry
    let metrics: HTTPMetrics
    let authorizer: Authorizer
    /// `store.backupsKeptFor`; nil where nobody has said it.
    let backupsKeptFor: Milliseconds?
}

extension Response {
    /// A document.
    static func json(
        _ status: HTTPResponse.Status = .ok, reserving capacity: Int = 1_024, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter(reservingCapacity: capacity)
        write(&json)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}
