import StrictJSON
import Subscriptions

/// Some of what the publisher's backend has asked for, as JSON: to look at, or to be asked by another one.
struct BackendPage {
    let entries: [BackendLog.Entry]
    let isLast: Bool
    let now: Moment
    let writer: BackendCallWriter

    /// - Throws: only when the system's randomness fails.
    var json: [UInt8] {
        get throws {
            var json = JSONWriter()
            try json.object { json in
                try json.member("requests") { json in
                    try json.array { json in for entry in self.entries { try self.write(entry, to: &json) } }
                }
                json.member("next", self.isLast ? nil : self.entries.last.map { Int64($0.request.number) })
                json.member("now", self.now.description)
            }
            return json.bytes
        }
    }

    private func write(_ entry: BackendLog.Entry, to json: inout JSONWriter) throws {
        let call = try self.writer.call(entry.request)
        json.object { json in
            json.member("number", Int64(entry.request.number))
            json.member("due", entry.request.due.description)
            json.member("customerId", entry.request.customerID)
            json.member("method", call.method)
            json.member("path", call.path)
            json.member("body") { $0.raw(call.body) }
            json.member("toBeRefused", entry.request.isToBeRefused)
            switch entry.state {
            case .waiting: json.member("state", "waiting")
            case .done: json.member("state", "done")
            case .refused(let status, let code):
                json.member("state", "refused")
                json.member("status", Int64(status))
                json.member("code", code)
            }
        }
    }
}
