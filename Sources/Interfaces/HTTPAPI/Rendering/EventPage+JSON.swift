import EventLog
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

extension EventPage {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("events") { json in
                json.array { json in
                    for event in self.events { event.write(to: &json) }
                }
            }
            json.member("next", self.next)
        }
    }
}

extension EventView {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("version", self.version.rawValue)
            json.member("sequence", self.sequence.rawValue)
            json.member("kind", self.event.kind.rawValue)
            json.member("changes", self.event.changes.map(\.rawValue))
            json.member("at", self.at)
            json.member("effectiveAt", ifPresent: self.event.effectiveAt)
            json.member("signedDate", self.event.signedDate)
            json.member("source", self.event.source.rawValue)
            json.member("notificationUUID", ifPresent: self.event.notification?.uuid)
            json.member("notificationType", ifPresent: self.event.notification?.type)
            json.member("subtype", ifPresent: self.event.notification?.subtype)
            json.member("stream") { self.key.write(to: &$0) }
            json.member("data") { self.event.writeData(to: &$0) }
            if let evidence = self.evidence { json.member("evidence") { evidence.write(to: &$0) } }
        }
    }
}

extension StreamKey {
    /// Which stream an event is of: pages of several streams need it.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", self.kind.name)
            json.member("id", self.id)
            json.member("environment", self.kind.isOfPublisher ? nil : self.environment.rawValue)
            json.member("bundleId", self.kind.isOfPublisher ? nil : self.bundleID.rawValue)
        }
    }
}

extension StreamKind {
    var name: String {
        switch self {
        case .subscription: "subscription"
        case .purchase: "purchase"
        case .massExtension: "massExtension"
        case .externalPurchase: "externalPurchase"
        case .appTransaction: "appTransaction"
        case .test: "test"
        case .customer: "customer"
        case .token: "token"
        case .account: "account"
        }
    }
}

extension Evidence {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .kept(let parts):
                for part in parts { json.member(part.name.key, String(decoding: part.jws, as: UTF8.self)) }
            case .erased(let sha256):
                json.member("erased", true)
                json.member("sha256", sha256.hexadecimal)
            }
        }
    }
}

extension EvidencePart.Name {
    fileprivate var key: String {
        switch self {
        case .signedPayload: "signedPayload"
        case .signedTransactionInfo: "signedTransactionInfo"
        case .signedRenewalInfo: "signedRenewalInfo"
        }
    }
}
