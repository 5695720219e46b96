package import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1

/// Carries a question to an OCSP responder and its answer back.
package protocol OCSPTransport: Sendable {
    /// - Parameter request: DER of an OCSPRequest.
    /// - Throws: whenever there is no answer: no connection, no time, or a status other than 200.
    func post(_ request: [UInt8], to url: String) async throws -> [UInt8]
}

/// POST as RFC 6960 appendix A has it.
package struct HTTPOCSPTransport: OCSPTransport {
    private let client: HTTPClient
    private let timeout: TimeAmount

    package init(client: HTTPClient, timeout: TimeAmount = .seconds(30)) {
        self.client = client
        self.timeout = timeout
    }

    package func post(_ request: [UInt8], to url: String) async throws -> [UInt8] {
        var post = HTTPClientRequest(url: url)
        post.method = .POST
        post.headers.add(name: "Content-Type", value: "application/ocsp-request")
        post.body = .bytes(request)
        let response = try await self.client.execute(post, timeout: self.timeout)
        guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
        let body = try await response.body.collect(upTo: 64 << 10)
        return Array(body.readableBytesView)
    }

    private struct UnexpectedStatus: Error {
        let code: UInt
    }
}
