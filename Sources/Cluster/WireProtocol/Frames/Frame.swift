/// What one node says to another in one message (proto: `Frame`).
package struct Frame: Hashable, Sendable {
    /// The version of these rules.
    package static let currentProtocol: UInt32 = 1

    package var header: FrameHeader
    package var calls: [RemoteCall] = []
    /// Ids of calls whose caller has given up.
    package var cancelled: [UInt64] = []
    package var replies: [RemoteReply] = []
    /// The frame that this one answers was for another run, or follows other rules.
    package var isReset = false

    package init(header: FrameHeader) { self.header = header }
}

/// Who speaks to whom.
package struct FrameHeader: Hashable, Sendable {
    package var protocolVersion = Frame.currentProtocol
    /// The speaker, by its configured name.
    package var node: String
    package var incarnation: Int64
    /// The run spoken to.
    package var addressee: Int64

    package init(node: String, incarnation: Int64, addressee: Int64) {
        self.node = node
        self.incarnation = incarnation
        self.addressee = addressee
    }
}

/// One call of a function of a shard's actor.
package struct RemoteCall: Hashable, Sendable {
    /// Grows from call to call of one run to another.
    package var id: UInt64
    package var shard: UInt16
    /// A number of `ShardTarget`, or of whatever both sides agree on.
    package var target: UInt32
    /// Milliseconds for which its caller waits.
    package var remaining: UInt32
    /// The shard's epoch as the caller knows it.
    package var epoch: Int64
    package var arguments: [[UInt8]]
    /// Of the caller's trace.
    package var trace: [String: String]

    package init(
        id: UInt64, shard: UInt16, target: UInt32, remaining: UInt32, epoch: Int64, arguments: [[UInt8]],
        trace: [String: String] = [:]
    ) {
        self.id = id
        self.shard = shard
        self.target = target
        self.remaining = remaining
        self.epoch = epoch
        self.arguments = arguments
        self.trace = trace
    }
}

package struct RemoteReply: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case value([UInt8])
        case nothing
        case failure(RemoteFailure)
    }

    /// Of the call.
    package var id: UInt64
    package var outcome: Outcome

    package init(id: UInt64, outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }
}

package struct RemoteFailure: Hashable, Sendable {
    package enum Code: Int, Sendable {
        case thrown = 1
        case notOwner, overloaded, unknownTarget, malformed
    }

    package var code: Code
    /// A sentence for people.
    package var message: String
    /// Of what was thrown, where both sides know its type.
    package var error: ThrownError?

    package struct ThrownError: Hashable, Sendable {
        /// A number of `ShardError`, or of whatever both sides agree on.
        package var number: UInt32
        package var content: [UInt8]

        package init(number: UInt32, content: [UInt8]) {
            self.number = number
            self.content = content
        }
    }

    package init(_ code: Code, _ message: String, error: ThrownError? = nil) {
        self.code = code
        self.message = message
        self.error = error
    }
}
