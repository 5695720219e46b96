import HTTPAPI
import NIOCore
import SwiftProtobuf
import WireProtocol

/// Requests of `POST /v1/check`, each check naming a subscription and the entitlement it is about.
enum CheckBodies {
    /// What every product of the simulator grants on the node that is measured.
    static let entitlement = "pro"
    static let batchSize = 1_000

    /// What is asked about.
    enum Subject: String {
        case subscription, customer
    }

    static func single(_ id: String, of subject: Subject = .subscription) -> [UInt8] { self.body([id], of: subject) }

    private static func body(_ ids: [String], of subject: Subject) -> [UInt8] {
        let checks = ids.map { "{\"\(subject.rawValue)\":\"\($0)\",\"entitlement\":\"\(Self.entitlement)\"}" }
        return Array("{\"checks\":[\(checks.joined(separator: ","))]}".utf8)
    }

    private static func message(_ ids: [String], of subject: Subject) throws -> [UInt8] {
        var request = ProtoCheckRequest()
        request.checks = ids.map { id in
            var check = ProtoCheck()
            switch subject {
            case .subscription: check.subscription = id
            case .customer: check.customer = id
            }
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
        try self.batches(of: ids.shuffled().map { ids[$0] }, .subscription, as: format)
    }

    static func batches(of ids: [String], _ subject: Subject, as format: BodyFormat) throws -> [ByteBuffer] {
        try stride(from: 0, to: ids.count, by: Self.batchSize).map { start in
            let batch = Array(ids[start..<min(ids.count, start + Self.batchSize)])
            switch format {
            case .json: return ByteBuffer.post("/v1/check", body: self.body(batch, of: subject))
            case .protobuf:
                return ByteBuffer.post(
                    "/v1/check", contentType: "application/x-protobuf", body: try self.message(batch, of: subject))
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
