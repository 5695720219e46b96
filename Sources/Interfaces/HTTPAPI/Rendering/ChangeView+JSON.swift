import Entitlements
import EventLog
import Queries
import ServiceContract
import StrictJSON
import Subscriptions

extension ChangeView {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("type", self.type)
            self.writeMembers(to: &json)
        }
    }

    /// All but the type.
    func writeMembers(to json: inout JSONWriter) {
        json.member("event") { self.event.write(to: &$0) }
        if case .told(let change) = self.event.event.customer?.content {
            json.member("previous") { change.previous.write(to: &$0) }
            json.member("current") { Optional(change.current).write(to: &$0) }
            return
        }
        json.member("previous") { CheckAnswer.write(self.previous, to: &$0) }
        json.member("current") { CheckAnswer.write(self.current, to: &$0) }
    }
}

extension StandingView {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("stream") { self.key.write(to: &$0) }
            json.member("version", self.version.rawValue)
            json.member("current") { CheckAnswer.write(self.current, to: &$0) }
        }
    }
}

extension CheckAnswer {
    /// As a check answers, without what belongs to its question.
    fileprivate static func write(_ answer: CheckAnswer?, to json: inout JSONWriter) {
        guard let answer else { return json.null() }
        json.object { json in
            json.member("entitled", answer.entitled)
            json.member("state", answer.state?.rawValue)
            json.member("code", answer.code.description)
            json.member("validUntil", answer.validUntil)
            json.member("productId", answer.productID)
        }
    }
}
