import WireProtocol

/// How much goes into one message, so that none is larger than the other side takes.
struct MessageSizes: Sendable {
    /// A frame of more bytes is not added to.
    let frame: Int
    /// What one call or one answer may have.
    let largestPart: Int

    /// - Parameter largestMessage: what the other side takes.
    init(largestMessage: Int) {
        self.frame = min(128 << 10, largestMessage / 4)
        self.largestPart = largestMessage / 2
    }
}

extension RemoteCall {
    /// About as many bytes as it takes in a message.
    var size: Int {
        let arguments = self.arguments.reduce(64) { $0 + $1.count + 8 }
        return self.trace.reduce(arguments) { $0 + $1.key.utf8.count + $1.value.utf8.count + 16 }
    }
}

extension RemoteReply.Outcome {
    /// About as many bytes as it takes in a message.
    var size: Int {
        switch self {
        case .value(let bytes): bytes.count + 32
        case .nothing: 32
        case .failure(let failure): failure.message.utf8.count + (failure.error?.content.count ?? 0) + 64
        }
    }
}
