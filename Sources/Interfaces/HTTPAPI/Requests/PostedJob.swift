import Jobs
import StrictJSON

/// The body of `POST /v1/jobs`.
struct PostedJob {
    let kind: Job.Kind

    init(_ body: [UInt8]) throws(Problem) {
        var word: String?
        try PostedMembers.read(body, knowing: ["kind"]) { (key, json) throws(JSONError) in
            switch key {
            case "kind": word = try json.text()
            default: return false
            }
            return true
        }
        guard let word else { throw .missing("kind") }
        // A deletion is of somebody, and a conversion begins by itself.
        guard let kind = Job.Kind(rawValue: word), kind == .reevaluate else {
            throw Problem(.malformedBody, "kind is \(Job.Kind.reevaluate.rawValue)")
        }
        self.kind = kind
    }
}
