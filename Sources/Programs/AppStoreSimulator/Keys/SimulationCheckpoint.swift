import Subscriptions

/// How far a simulation has got: with its seed, all that is needed to go on.
struct SimulationCheckpoint: Codable, Sendable {
    /// Raised when the same seed gives other lives than before, or the file has other contents.
    static let format = 3

    /// What the lives follow from. Another one is another simulation.
    struct Origin: Codable, Hashable, Sendable {
        let format: Int
        let seed: UInt64
        let subscribers: Int
        let bundleId: String
        let environment: String
        /// Milliseconds since 1970.
        let start: Int64
        /// Milliseconds.
        let past: Int64
        /// Its fingerprint.
        let scenario: String
        /// Whether notifications were posted: what was not is not posted later.
        let delivers: Bool
    }

    /// Reads no more than the format; files of the first one do not name it.
    struct Format: Decodable {
        private let origin: Origin

        private struct Origin: Decodable {
            let format: Int?
        }

        var number: Int { self.origin.format ?? 1 }
    }

    let origin: Origin
    /// Every turn before this moment has been taken.
    let reached: Int64
    /// Where the clock goes on: a slow receiver keeps customers behind it. nil in files of earlier versions, whose clock
    /// goes on where customers are.
    let now: Int64?
    /// How many turns have been taken: of several at the moment reached, some may be still to come.
    let turns: Int
    /// By `notificationUUID`: what still has to be delivered.
    let unfinished: [String: UnfinishedDelivery]
    /// By `notificationUUID`: the attempts at what never arrived.
    let givenUp: [String: [SendAttempt]]
    /// By `notificationUUID`: the attempts at what arrived, but not at the first one. nil in files of earlier versions.
    let recovered: [String: [SendAttempt]]?
    /// What was done by the API, in order. nil in files of earlier versions.
    let orders: [StoreOrder.Entry]?
    /// How many requests of the publisher's backend have been made.
    let backendRequests: Int?
}
