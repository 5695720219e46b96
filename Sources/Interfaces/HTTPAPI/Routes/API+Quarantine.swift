import EventLog
import Hummingbird
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

/// What was authentic but not for this configuration.
extension API {
    /// Without the payloads themselves.
    func quarantined(_ call: Call) async throws -> Response {
        let limit = try call.query.limit()
        var after: Int64 = 0
        if let text = try call.query.text("after") {
            guard let id = Int64(text), id >= 0 else {
                throw Problem.invalidParameter("after", "not a cursor of this list")
            }
            after = id
        }
        let rows = try await self.service.quarantined(after: after, limit: limit)
        return .json(reserving: 4_096) { json in
            json.object { json in
                json.member("quarantined") { json in
                    json.array { json in
                        for row in rows {
                            json.object { json in
                                json.member("id", row.id)
                                json.member("reason", row.reason)
                                json.member("detail", row.detail)
                                json.member("receivedAt", Moment(milliseconds: row.receivedAt))
                                json.member("sha256", row.digest.hexadecimal)
                                json.member("bytes", Int64(row.raw.count))
                            }
                        }
                    }
                }
                json.member("next", rows.count == limit ? rows.last.map { String($0.id) } : nil)
            }
        }
    }

    func replayQuarantine() async throws -> Response {
        let replay = try await self.service.replayQuarantine()
        return .json { json in
            json.object { json in
                json.member("applied", Int64(replay.applied))
                json.member("kept", Int64(replay.kept))
                json.member("failed", Int64(replay.failed))
            }
        }
    }
}
