import HTTPAPI
import NIOCore
import SwiftProtobuf
import WireProtocol

/// Requests of `POST /v1/check`, each check naming a subscription and the entitlement it is about.
enum CheckBodies {
    /// What every product of the simulator grants on the node that is measured.
    static let entitlement = "pro"
    static let batchSize = 1_000

    static func single(_ id: String) -> [UInt8] { self.body([id]) }

    private static func body(_ ids: [String]) -> [UInt8] {
        let checks = ids.map { "{\"subscription\":\"\($0)\",\"entitlement\":\"\(Self.entitlement)\"}" }
        return Array("{\"checks\":[\(checks.joined(separator: ","))]}".utf8)
    }

    private static func message(_ ids: [String]) throws -> [UInt8] {
        var request = ProtoCheckRequest()
        request.checks = ids.map { id in
            var check = ProtoCheck()
            check.subscription = id
            check.entitlement = Self.entitlement
            return check
        }
        return try request.serializedBytes()
    }

    /// Single checks of distinct subscriptions, at random.
    static func singles(of ids: SubscriptionIDs, count: Int, path: String = "/v1/check") -> [ByteBuffer] {
        ids.shuffled().prefix(count).map { ByteBuffer.post(path, body: self.single(ids[$0])) }
    }

    /// Batches that together hold every subscription once, at random.
    static func batches(of ids: SubscriptionIDs, as format: BodyFormat = .json) throws -> [ByteBuffer] {
        let order = ids.shuffled()
        return try stride(from: 0, to: order.count, by: Self.batchSize).map { start in
            let batch = order[start..<min(order.count, start + Self.batchSize)].map { ids[$0] }
            switch format {
            case .json: return ByteBuffer.post("/v1/check", body: self.body(batch))
            case .protobuf:
                return ByteBuffer.post(
                    "/v1/check", contentType: "application/x-protobuf", body: try self.message(batch))
            }
        }
    }
}

extension LoadResult {
    /// What is measured has to be true: the first answer says that every subscription in it is entitled.
    /// - Returns: itself.
    func entitling(_ count: Int, as format: BodyFormat = .json) throws -> LoadResult {
        let entitled =
            switch format {
            case .json: String(decoding: self.firstBody, as: UTF8.self).ranges(of: "\"entitled\":true").count
            case .protobuf: try ProtoCheckResponse(serializedBytes: self.firstBody).results.count(where: \.entitled)
            }
        guard entitled == count else {
            throw BenchmarkError("the node finds \(entitled) of \(count) seeded subscriptions entitled")
        }
        return self
    }
}
