import Jobs
import StrictJSON
import Subscriptions

/// The answer to a deletion: the job, and where something of the customer remains that the node does not reach.
struct DeletionAnswer {
    private let job: Job
    private let backupsUntil: Moment?

    /// - Parameters:
    ///   - backupsKeptFor: nil where nobody has said it.
    ///   - now: at which a job that runs ends at the earliest.
    init(_ job: Job, backupsKeptFor: Milliseconds?, at now: Moment) {
        self.job = job
        // One that is made before the job ends may have the customer.
        self.backupsUntil = backupsKeptFor.map { (job.ended ?? now) + $0 }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            self.job.writeMembers(to: &json)
            json.member("remains") { json in
                json.array { json in
                    Self.write("purchases", "dates, products and prices of purchases, under Apple's ids", to: &json)
                    Self.write(
                        "freePages", "free pages and statistics of PostgreSQL, until VACUUM (FULL, ANALYZE)", to: &json)
                    Self.write(
                        "writeAheadLog", "write-ahead logs, their archives, and replicas of PostgreSQL", to: &json)
                    Self.write(
                        "setAside", "parked rows of the inbox, and payloads that the quarantine gets later", to: &json)
                    Self.write(
                        "receivers", "what readers of the stream, of events and of webhooks were told", to: &json)
                    Self.write("backups", "copies of the store", until: self.backupsUntil, to: &json)
                }
            }
        }
    }

    private static func write(
        _ place: String, _ what: String, until moment: Moment? = nil, to json: inout JSONWriter
    ) {
        json.object { json in
            json.member("place", place)
            json.member("what", what)
            json.member("until", moment)
        }
    }
}
