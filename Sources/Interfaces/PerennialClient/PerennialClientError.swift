import ZeroMQ

/// Why a client cannot do what was asked.
public struct PerennialClientError: Error, Sendable {
    public enum Code: Hashable, Sendable {
        /// An address or a key of the configuration is none.
        case invalidConfiguration
        /// The subscription may be there, and has not been copied yet: ``PerennialClient/untilReady()`` waits for all.
        case notReady
        /// The id belongs to several apps, and the question names none.
        case ambiguous
        /// No customer can have this id: it has 1 to 128 bytes of UTF-8 and no control characters.
        case invalidCustomer
        /// No catalog of the nodes has the name.
        case unknownEntitlement
        /// The system has no sockets or descriptors left.
        case unavailable
    }

    public let code: Code
    /// A sentence for people.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static func translating<Value>(
        _ body: () throws(ZeroMQError) -> Value
    ) throws(PerennialClientError) -> Value {
        do throws(ZeroMQError) { return try body() } catch { throw Self(.unavailable, error.message) }
    }

    static func translating<Value>(
        _ body: () async throws(ZeroMQError) -> Value
    ) async throws(PerennialClientError) -> Value {
        do throws(ZeroMQError) { return try await body() } catch { throw Self(.unavailable, error.message) }
    }
}
