import Jobs
import StrictJSON

extension Job {
    func write(to json: inout JSONWriter) { json.object { self.writeMembers(to: &$0) } }

    func writeMembers(to json: inout JSONWriter) {
        json.member("id", self.id)
        json.member("kind", self.kind.rawValue)
        json.member("state", self.state.rawValue)
        json.member("actor", self.actor)
        json.member("started", self.started)
        json.member("ended", self.ended)
        json.member("examined", Int64(self.examined))
        json.member("changed", Int64(self.changed))
        json.member("skipped", Int64(self.skipped))
        json.member("message", self.message)
    }
}
