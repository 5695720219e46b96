import AppStore
import Reconciliation
import StrictJSON
import Subscriptions

extension TestNotificationReport {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("state", self.state.rawValue)
            json.member("attempts") { json in
                json.array { json in
                    for attempt in self.attempts {
                        json.object { json in
                            json.member("date", attempt.date)
                            json.member("result", attempt.result)
                        }
                    }
                }
            }
        }
    }
}

extension ExtensionResult {
    func write(to json: inout JSONWriter, requestIdentifier: String) {
        json.object { json in
            json.member("originalTransactionId", self.originalTransactionID)
            json.member("webOrderLineItemId", self.webOrderLineItemID)
            json.member("success", self.success)
            json.member("effectiveDate", self.effectiveDate)
            json.member("requestIdentifier", requestIdentifier)
        }
    }
}
