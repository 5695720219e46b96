import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Asks a node, or a simulation, over HTTP. Whatever goes wrong is a `CommandFailure` of one line.
struct NodeClient {
    private let base: URLComponents
    private let token: String?
    /// Who is asked, in messages.
    private let peer: String
    private let patience: TimeAmount

    private static let longestAnswer = 64 << 20

    /// A node that is not there is said at once, not after half a minute of trying. Lives as long as the process.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Parameter patience: how long an answer is waited for.
    /// - Throws: for an address that is no URL.
    init(address: String, token: String?, peer: String = "node", patience: TimeAmount = .seconds(30)) throws {
        guard let url = URLComponents(string: address), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw ValidationError("The node's address is no http or https URL: \(address)")
        }
        self.base = url
        self.token = token
        self.peer = peer
        self.patience = patience
    }

    func get(_ path: [String], query: [(String, String?)] = []) async throws -> JSONFragment {
        try await self.send(HTTPClientRequest(url: self.url(path, query)))
    }

    /// The subscription or purchase at `/v1/` and a path; nil when the node knows none.
    func find(_ path: [String], query: [(String, String?)]) async throws -> JSONFragment? {
        let (status, body) = try await self.exchange(HTTPClientRequest(url: self.url(["v1"] + path, query)))
        let answer = try? JSONFragment(body)
        switch (status, answer?["code"]?.plain) {
        case (.ok, _):
            guard let answer else { throw self.notJSON }
            return answer
        case (.notFound, "unknownSubscription"), (.notFound, "unknownPurchase"): return nil
        case (let status, "futureMoment"):
            let problem = Self.problem(status.code, answer)
            throw CommandFailure("\(problem); the node's clock is behind: give it the right time, and try again")
        default: throw CommandFailure(Self.problem(status.code, answer))
        }
    }

    func post(
        _ path: [String], query: [(String, String?)] = [], body: String = "{}"
    ) async throws -> JSONFragment {
        try await self.send(.POST, path, query, body)
    }

    func put(_ path: [String], query: [(String, String?)] = [], body: String) async throws -> JSONFragment {
        try await self.send(.PUT, path, query, body)
    }

    @discardableResult
    func delete(_ path: [String], query: [(String, String?)] = []) async throws -> JSONFragment {
        var request = HTTPClientRequest(url: self.url(path, query))
        request.method = .DELETE
        return try await self.send(request)
    }

    private func send(
        _ method: HTTPMethod, _ path: [String], _ query: [(String, String?)], _ body: String
    ) async throws -> JSONFragment {
        var request = HTTPClientRequest(url: self.url(path, query))
        request.method = method
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        return try await self.send(request)
    }

    /// Every part of `path` is escaped: ids may hold any visible ASCII character.
    private func url(_ path: [String], _ query: [(String, String?)]) -> String {
        var url = self.base
        let unreserved = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;"))
        let parts = path.map { $0.addingPercentEncoding(withAllowedCharacters: unreserved) ?? $0 }
        url.percentEncodedPath = url.percentEncodedPath.trimmingSuffix("/") + "/" + parts.joined(separator: "/")
        let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        url.queryItems = items.isEmpty ? nil : items
        url.percentEncodedQuery = url.percentEncodedQuery?.replacing("+", with: "%2B")
        return url.string ?? ""
    }

    /// A page that is not JSON.
    func text(_ path: [String]) async throws -> String {
        let (status, body) = try await self.exchange(HTTPClientRequest(url: self.url(path, [])))
        guard status == .ok else { throw CommandFailure(Self.problem(status.code, try? JSONFragment(body))) }
        return String(decoding: body, as: UTF8.self)
    }

    private func send(_ request: HTTPClientRequest) async throws -> JSONFragment {
        let (status, body) = try await self.exchange(request)
        let answer = try? JSONFragment(body)
        guard [.ok, .created, .accepted].contains(status) else {
            let isUnknown = answer?["code"]?.plain == "appStoreOutcomeUnknown"
            throw CommandFailure(
                Self.problem(status.code, answer), status: isUnknown ? CommandFailure.unknownOutcome : 1,
                isRetryable: answer?["retryable"]?.plain == "true")
        }
        guard let answer else { throw self.notJSON }
        return answer
    }

    private var notJSON: CommandFailure {
        CommandFailure("\(self.base.string ?? ""): the answer is no JSON; is this a Perennial \(self.peer)?")
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> (HTTPResponseStatus, [UInt8]) {
        var request = request
        request.headers.add(name: "user-agent", value: "perennial/\(BuildInformation.version)")
        // A node without tokens wants a sign that no web page has sent this.
        request.headers.add(name: "perennial-client", value: "perennial")
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        do {
            let response = try await Self.http.execute(request, timeout: self.patience)
            return (response.status, Array(buffer: try await response.body.collect(upTo: Self.longestAnswer)))
        } catch {
            throw CommandFailure("\(self.base.string ?? ""): \(self.sentence(error))")
        }
    }

    /// A problem answer (RFC 9457) as one line.
    private static func problem(_ status: UInt, _ answer: JSONFragment?) -> String {
        let code = answer?["code"]?.plain ?? "status \(status)"
        let detail = answer?["detail"]?.plain ?? answer?["title"]?.plain
        let hint = status == 401 ? " (give a token by --token-file or PERENNIAL_TOKEN)" : ""
        return [code, detail].compactMap(\.self).joined(separator: ": ") + hint
    }

    private func sentence(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout || error == .deadlineExceeded:
            "no answer in time"
        case is HTTPClientError: "the request failed: \(error)"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "its certificate is for another host"
        case NIOSSLError.handshakeFailed where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            "its certificate is not trusted"
        case is NIOSSLError, is NIOSSLExtraError: "no TLS connection is possible: is it an http address?"
        default: "cannot be reached; is the \(self.peer) running?"
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        self.hasSuffix(suffix) ? String(self.dropLast(suffix.count)) : self
    }
}
