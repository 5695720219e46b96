package import Queries
import ServiceContract
import StrictJSON
import Subscriptions

extension ChangeView {
    /// What is posted to a webhook endpoint, in the structure that the Standard Webhooks specification recommends. `data` is
    /// what a `delta` of the change stream holds beside its type.
    /// - Parameter type: that the endpoint wants: of one of the event's changes, which all stand in `data`.
    package func webhookBody(as type: String) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 2_048)
        json.object { json in
            json.member("type", type)
            json.member("timestamp", self.event.at)
            json.member("data") { json in json.object { self.writeMembers(to: &$0) } }
        }
        return json.bytes
    }
}
