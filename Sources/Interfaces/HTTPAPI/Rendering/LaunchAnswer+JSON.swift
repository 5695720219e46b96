import ServiceContract
import StrictJSON
import Subscriptions

extension LaunchAnswer {
    func write(to json: inout JSONWriter) {
        json.object { json in
            self.entitlements.writeMembers(to: &json)
            json.member("items") { json in
                json.array { json in for item in self.items { item.write(to: &json) } }
            }
        }
    }
}

extension LaunchAnswer.Item {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", self.kind.word)
            json.member("result", self.outcome.word)
            json.member("code", self.outcome.code?.rawValue)
            json.member("originalTransactionId", self.stream?.id)
        }
    }
}

extension LaunchAnswer.Item.Kind {
    fileprivate var word: String {
        switch self {
        case .transaction: "signedTransaction"
        case .renewalInfo: "signedRenewalInfo"
        case .appTransaction: "signedAppTransaction"
        }
    }
}

extension LaunchAnswer.Item.Outcome {
    fileprivate var word: String {
        switch self {
        case .recorded: "recorded"
        case .elsewhere: "elsewhere"
        case .ignored: "ignored"
        case .refused: "refused"
        }
    }

    fileprivate var code: ServiceError.Code? {
        if case .refused(let code) = self { code } else { nil }
    }
}
