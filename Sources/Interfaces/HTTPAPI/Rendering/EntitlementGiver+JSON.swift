import StrictJSON
import Subscriptions

extension EntitlementGiver {
    func writeMembers(to json: inout JSONWriter) {
        switch self {
        case .stream(let key):
            json.member("kind", key.kind.name)
            json.member("id", key.id)
        case .grant(let id):
            json.member("kind", "grant")
            json.member("id", id)
        }
    }
}
