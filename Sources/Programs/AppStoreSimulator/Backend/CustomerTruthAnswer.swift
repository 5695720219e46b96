import StrictJSON
import Subscriptions

/// What is true of one of the publisher's customers at a moment, as JSON: all that they have, whether it gives access, and
/// what a node may not know of.
struct CustomerTruthAnswer {
    private let customerID: String
    private let moment: Moment
    private let store: StoreIdentity
    private let holdings: CustomerBoard.Holdings
    private let streams: [Stream]
    private let waiting: [BackendRequest]

    /// A subscription or purchase, and what decides about it and has not arrived.
    private struct Stream {
        let id: String
        let environment: AppStoreEnvironment
        let standing: Truth.Standing
        let missing: [DeliveryLog.Entry]
    }

    /// nil for somebody of whom nothing is known by then.
    init?(
        _ customerID: String, at moment: Moment, of store: StoreIdentity, board: CustomerBoard, truths: TruthBoard,
        deliveries: DeliveryLog, backend: BackendLog
    ) {
        guard let holdings = board.holdings(of: customerID, at: moment) else { return nil }
        self.customerID = customerID
        self.moment = moment
        self.store = store
        self.holdings = holdings
        self.streams = holdings.streams.compactMap { id in
            guard let truth = truths.truth(of: id), let standing = truth.standing(at: moment) else { return nil }
            return Stream(
                id: id, environment: truth.environment ?? store.environment, standing: standing,
                missing: TruthAnswer(truth, at: moment, told: deliveries.entries(about: id)).missing)
        }
        self.waiting = backend.waiting(for: customerID, holdings.streams, by: moment)
    }

    var standing: CustomerStanding {
        CustomerStanding(
            isEntitled: self.isEntitled,
            isTold: self.waiting.isEmpty && self.streams.allSatisfy(\.missing.isEmpty))
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("customerId", self.customerID)
            json.member("at", self.moment.description)
            json.member("entitled", self.isEntitled)
            json.member("movedTo", self.holdings.movedTo)
            json.member("holdings") { json in
                json.array { json in
                    for stream in self.streams { Self.write(stream, to: &json) }
                    for grant in self.holdings.grants { Self.write(grant, to: &json) }
                }
            }
            json.member("missing") { json in
                json.array { json in
                    for entry in self.streams.flatMap(\.missing) { entry.writeMissing(to: &json) }
                    for request in self.waiting { Self.write(request, to: &json) }
                }
            }
        }
    }

    /// What was bought elsewhere than the simulated app sells does not count, nor does a grant count elsewhere than in
    /// Production.
    private var isEntitled: Bool {
        if self.store.environment == .production, !self.holdings.grants.isEmpty { return true }
        return self.streams.contains { $0.environment == self.store.environment && $0.standing.isEntitled }
    }

    private static func write(_ stream: Stream, to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", stream.standing.expiresDate == nil ? "purchase" : "subscription")
            json.member("id", stream.id)
            json.member("environment", stream.environment.rawValue)
            json.member("productId", stream.standing.productID)
            json.member("state", stream.standing.state.rawValue)
            json.member("entitled", stream.standing.isEntitled)
        }
    }

    private static func write(_ grant: SimulatedGrant, to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", "grant")
            json.member("id", grant.id)
            json.member("environment", AppStoreEnvironment.production.rawValue)
            json.member("entitlement", grant.entitlement)
            json.member("until", grant.until.description)
            json.member("state", "granted")
            json.member("entitled", true)
        }
    }

    private static func write(_ request: BackendRequest, to json: inout JSONWriter) {
        json.object { json in
            json.member("backendRequest", Int64(request.number))
            json.member("due", request.due.description)
            json.member("state", "waiting")
        }
    }
}
