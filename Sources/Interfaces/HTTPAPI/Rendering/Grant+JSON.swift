import StrictJSON
import Subscriptions

extension Grant {
    func writeMembers(to json: inout JSONWriter) {
        json.member("id", self.id)
        json.member("entitlement", self.entitlement)
        json.member("reason", self.reason)
        json.member("source", self.source)
        json.member("from", self.from)
        json.member("until", self.until)
        json.member("permanent", self.until == nil)
        json.member("renews", self.renews)
        json.member("environment", self.environment.rawValue)
        json.member("actor", self.actor)
        json.member("revokedAt", self.revokedAt)
    }
}

extension [String: AttributeValue?] {
    /// An object, by name; null where an attribute is removed.
    func write(to json: inout JSONWriter) {
        json.object { json in
            for (name, value) in self.sorted(by: { $0.key < $1.key }) {
                json.member(name) { json in
                    switch value {
                    case .text(let text): json.value(text)
                    case .number(let number): json.value(decimal: number)
                    case .boolean(let flag): json.value(flag)
                    case nil: json.null()
                    }
                }
            }
        }
    }
}
