package import ServiceContract
import SubscriptionService

/// What `POST /v1/check` answers: the results of the service in their places among the refused items.
package struct CheckAnswers {
    let posted: PostedChecks
    let response: CheckResponse

    /// - Parameter response: of the service, to `posted.questions`.
    package init(posted: PostedChecks, response: CheckResponse) {
        self.posted = posted
        self.response = response
    }

    func forEach(_ body: (CheckVerdict?, _ error: String) -> Void) {
        var refusals = self.posted.refusals.makeIterator()
        var refusal = refusals.next()
        var place = 0
        func giveRefusals() {
            while let (refusedPlace, code) = refusal, refusedPlace == place {
                body(nil, code.rawValue)
                refusal = refusals.next()
                place += 1
            }
        }
        for result in self.response.results {
            giveRefusals()
            switch result {
            case .verdict(let verdict): body(verdict, "")
            case .refused(let code): body(nil, code.rawValue)
            }
            place += 1
        }
        giveRefusals()
    }

    package func body(as format: BodyFormat) -> [UInt8] {
        switch format {
        case .json: self.json()
        case .protobuf: self.protobuf()
        }
    }
}
