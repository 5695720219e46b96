import Reconciliation
import ServiceContract
import StrictJSON
import Subscriptions

extension ReconciliationJob {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", self.id)
            json.member("kind", self.kind.rawValue)
            json.member("state", self.state.rawValue)
            json.member("from", self.from)
            json.member("to", self.to)
            self.progress.write(to: &json)
            json.member("error", self.error)
            json.member("started", self.started)
            json.member("ended", self.ended)
        }
    }
}

extension ReconciliationProgress {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("calls", Int64(self.calls))
        json.member("fetched", Int64(self.fetched))
        json.member("recorded", Int64(self.recorded))
        json.member("duplicates", Int64(self.duplicates))
        json.member("quarantined", Int64(self.quarantined))
        json.member("refused", Int64(self.refused))
        json.member("checked", Int64(self.checked))
        json.member("repaired", Int64(self.repaired))
    }
}
