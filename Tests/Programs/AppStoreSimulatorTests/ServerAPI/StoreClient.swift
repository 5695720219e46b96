import AppStoreSimulator
import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1

/// Asks the simulator's API as a publisher's server does.
struct StoreClient: Sendable {
    let baseURL: String
    let key: P256.Signing.PrivateKey
    let keyID: String
    let issuerID: String
    let bundleID: String

    init(_ simulator: AppStoreSimulator, port: Int) throws {
        let pem = try String(contentsOfFile: simulator.directory.file("AuthKey.p8"), encoding: .utf8)
        self.baseURL = "http://127.0.0.1:\(port)"
        self.key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        self.keyID = simulator.directory.keys.keyID
        self.issuerID = simulator.directory.keys.issuerID
        self.bundleID = simulator.configuration.store.bundleID
    }

    /// What JSON may hold has no Sendable type, but nothing of it is ever changed.
    struct Answer: @unchecked Sendable {
        let status: Int
        let body: [String: Any]
        let isEmpty: Bool
        let retryAfter: String?

        var code: Int? { self.body["errorCode"] as? Int }

        /// The payloads of a list of signed items.
        func payloads(_ name: String) throws -> [[String: Any]] {
            try (self.body[name] as? [String] ?? []).map { try DecodedNotification.payload($0) }
        }
    }

    func get(_ path: String) async throws -> Answer { try await self.ask("GET", path, token: self.token()) }

    func put(_ path: String, _ body: [String: Any]) async throws -> Answer {
        try await self.ask("PUT", path, body: body, token: self.token())
    }

    func post(_ path: String, _ body: [String: Any]? = nil) async throws -> Answer {
        try await self.ask("POST", path, body: body, token: self.token())
    }

    func ask(_ method: String, _ path: String, body: [String: Any]? = nil, token: String?) async throws -> Answer {
        var request = HTTPClientRequest(url: self.baseURL + path)
        request.method = HTTPMethod(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body { request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body))) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = Data(try await response.body.collect(upTo: 1 << 24).readableBytesView)
        let object = bytes.isEmpty ? nil : try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        return Answer(
            status: Int(response.status.code), body: object ?? [:], isEmpty: bytes.isEmpty,
            retryAfter: response.headers.first(name: "Retry-After"))
    }

    /// A token that is good, apart from what is changed of it.
    func token(
        header: [String: Any] = [:], claims: [String: Any] = [:], key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let head: [String: Any] = ["alg": "ES256", "kid": self.keyID, "typ": "JWT"]
        let body: [String: Any] = [
            "iss": self.issuerID, "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": self.bundleID,
        ]
        let parts = try [head.merging(header) { $1 }, body.merging(claims) { $1 }].map { part in
            Self.base64url(try JSONSerialization.data(withJSONObject: part))
        }
        let signed = parts.joined(separator: ".")
        let signature = try (key ?? self.key).signature(for: Data(signed.utf8))
        return signed + "." + Self.base64url(signature.rawRepresentation)
    }

    private static func base64url(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
