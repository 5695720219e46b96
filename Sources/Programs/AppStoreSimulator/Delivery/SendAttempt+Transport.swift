import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension SendAttempt.Result {
    /// What an answer means.
    init(_ head: HTTPClientResponse) {
        switch head.status.code {
        case 200...206: self = .success
        case 300...399 where head.headers.contains(name: "Location"): self = .circularRedirect
        default: self = .unsuccessfulCode
        }
    }

    /// What kept an answer from coming, or from coming whole.
    ///
    /// - Parameter hasHead: the answer's status had come.
    init(_ error: any Error, hasHead: Bool) {
        switch error {
        case let error as HTTPClientError: self = Self.result(of: error, hasHead: hasHead)
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection, NIOSSLError.uncleanShutdown:
            self = hasHead ? .prematureClose : .noResponse
        case is HTTPParserError: self = .invalidResponse
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .tlsIssue
        case ChannelError.connectTimeout: self = .timedOut
        case is NIOConnectionError, is IOError, is ChannelError, is SocketAddressError: self = .socketIssue
        default: self = .other
        }
    }

    private static func result(of error: HTTPClientError, hasHead: Bool) -> Self {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout:
            .timedOut
        case .remoteConnectionClosed, .uncleanShutdown: hasHead ? .prematureClose : .noResponse
        default: .other
        }
    }
}
