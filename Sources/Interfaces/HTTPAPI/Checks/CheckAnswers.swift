package import ServiceContract
import SubscriptionService

/// What `POST /v1/check` answers: the results of the service in their places among the refused items.
package struct CheckAnswers {
    let posted: PostedChecks
    let response: CheckResponse
    private let customers: [CustomerResult]

    /// What stands in one place.
    enum Item {
        case verdict(CheckVerdict)
        case customer(CustomerResult)
        case error(String)
    }

    /// - Parameters:
    ///   - response: of the service, to `posted.questions`.
    ///   - customers: the same, to `posted.customers`.
    package init(posted: PostedChecks, response: CheckResponse, customers: [CustomerResult] = []) {
        self.posted = posted
        self.response = response
        self.customers = customers
    }

    func forEach(_ body: (Item) -> Void) {
        var refusals = self.posted.refusals[...]
        var customers = zip(self.posted.customers, self.customers).makeIterator()
        var customer = customers.next()
        var place = 0
        func giveOthers() {
            while true {
                if let refusal = refusals.first, refusal.place == place {
                    body(.error(refusal.code.rawValue))
                    refusals.removeFirst()
                } else if let (posted, result) = customer, posted.place == place {
                    body(.customer(result))
                    customer = customers.next()
                } else {
                    return
                }
                place += 1
            }
        }
        for result in self.response.results {
            giveOthers()
            switch result {
            case .verdict(let verdict): body(.verdict(verdict))
            case .refused(let code): body(.error(code.rawValue))
            }
            place += 1
        }
        giveOthers()
    }

    package func body(as format: BodyFormat) -> [UInt8] {
        switch format {
        case .json: self.json()
        case .protobuf: self.protobuf()
        }
    }
}
