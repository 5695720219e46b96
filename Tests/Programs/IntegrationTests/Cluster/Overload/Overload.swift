import AppStoreSimulator
import Foundation
import PerennialTestSupport
import Testing

/// More than a node can verify, genuine and forged.
struct Overload {
    let genuine: Flood
    let forged: Flood
    private let payloads: [[UInt8]]

    /// - Parameter payloads: genuine ones.
    init(_ payloads: [[UInt8]], for node: NodeProcess) async throws {
        let port = try #require(URL(string: node.url)?.port)
        self.payloads = payloads
        self.genuine = Flood(payloads, to: port)
        self.forged = Flood(try await onOwnThread { try Self.forgeries(of: payloads) }, to: port)
    }

    /// As an attacker makes them: with chains of a root that nobody trusts, and genuine ones with another signature
    /// or content; mixed, so that at any time some wait for their chains to be validated.
    private static func forgeries(of genuine: [[UInt8]]) throws -> [[UInt8]] {
        let foreign = try SignedCorpus(count: 100, seed: 43).notifications.map(\.signedPayload)
        return zip(foreign, genuine).flatMap { foreign, payload in
            let altered = payload.indices.filter { payload[$0] == UInt8(ascii: ".") }.map { dot in
                var copy = payload
                // Some way behind the beginning of the content, and of the signature.
                copy[dot + 40] = copy[dot + 40] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                return copy
            }
            return [foreign] + altered
        }
    }

    /// Lasts for as long as `body` takes, however that ends. Returns when the last answer has come.
    /// - Parameter connections: for each of both.
    func last<Value>(connections: Int, during body: () async throws -> Value) async throws -> Value {
        let floods = [self.genuine, self.forged]
        for flood in floods { flood.begin(connections: connections) }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for flood in floods { flood.end() }
        let value = try result.get()
        for flood in floods { try await flood.untilEnded() }
        return value
    }

    /// Whether it has taken all that is genuine more than once, and refused as much that is forged.
    var wasHandled: Bool {
        self.genuine.statuses[200, default: 0] > self.payloads.count
            && self.forged.statuses[422, default: 0] > self.payloads.count
    }
}
