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
        guard let kind = Job.Kind(rawValue: word) else {
            let known = Job.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.malformedBody, "kind is one of: \(known)")
        }
        self.kind = kind
    }
}
