import EventLog
import Hummingbird
import StrictJSON
import SubscriptionService

/// Who lives, and who owns what.
extension API {
    func cluster() async throws -> Response {
        let status = try await self.service.clusterStatus()
        return .json { status.write(to: &$0) }
    }

    /// Takes no body: which level is meant, the living nodes say.
    func finalize() async throws -> Response {
        let finalization = try await self.service.finalize()
        return .json { finalization.write(to: &$0) }
    }

    func shards() async throws -> Response {
        let status = try await self.service.clusterStatus()
        return .json(reserving: 32_768) { status.writeShards(to: &$0) }
    }

    /// Answers once the shard's row names its next owner.
    func moveShard(_ call: Call) async throws -> Response {
        let shard = try Self.shard(call.arguments[0])
        return try await call.withBody { body in
            let record = try await self.service.move(shard, to: try PostedMove(body).node)
            let status = try await self.service.clusterStatus()
            return .json { record.write(to: &$0, living: status.living) }
        }
    }

    /// Whether there is such a shard, the service knows.
    private static func shard(_ text: String) throws(Problem) -> ShardID {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt16(text)
        else { throw .invalidParameter("shard", "not the number of a shard") }
        return ShardID(rawValue: number)
    }
}
