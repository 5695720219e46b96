/// Writes a frame piece by piece, as what it holds comes to hand.
package struct FrameWriter: Sendable {
    private var writer: MessageWriter

    package init(_ header: FrameHeader) {
        self.writer = MessageWriter(reservingCapacity: 256)
        self.writer.write(Int64(header.protocolVersion), 1)
        self.writer.write(header.node, 2)
        self.writer.write(header.incarnation, 3)
        self.writer.write(header.addressee, 4)
    }

    /// What was written until now is a whole frame.
    package var bytes: [UInt8] { self.writer.bytes }
    package var count: Int { self.writer.bytes.count }

    package mutating func add(_ call: RemoteCall) {
        self.writer.message(5, reserving: call.arguments.reduce(256) { $0 + $1.count }) { writer in
            writer.write(Int64(bitPattern: call.id), 1)
            writer.write(Int64(call.shard), 2)
            writer.write(Int64(call.target), 3)
            writer.write(Int64(call.remaining), 4)
            writer.write(call.epoch, 5)
            for argument in call.arguments { writer.write(argument, 6) }
            for (key, value) in call.trace {
                writer.message(7) { writer in
                    writer.write(key, 1)
                    writer.write(value, 2)
                }
            }
        }
    }

    package mutating func addCancelled(_ id: UInt64) { self.writer.write(present: Int64(bitPattern: id), 6) }

    package mutating func add(_ reply: RemoteReply) {
        self.writer.message(7, reserving: 64) { writer in
            writer.write(Int64(bitPattern: reply.id), 1)
            switch reply.outcome {
            case .value(let bytes): writer.write(bytes, 2)
            case .nothing: writer.write(true, 3)
            case .failure(let failure): writer.message(4) { $0.write(failure) }
            }
        }
    }

    package mutating func addReset() {
        self.writer.message(8) { $0.write(Int64(Frame.currentProtocol), 1) }
    }
}

extension MessageWriter {
    fileprivate mutating func write(_ failure: RemoteFailure) {
        self.write(Int64(failure.code.rawValue), 1)
        self.write(failure.message, 2)
        guard let error = failure.error else { return }
        self.write(Int64(error.number), 3)
        self.write(error.content, 4)
    }
}
