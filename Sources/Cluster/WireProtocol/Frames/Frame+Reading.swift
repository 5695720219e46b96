extension Frame {
    /// - Throws: `WireError` when `bytes` are no frame. One of another protocol version is read as far as it goes.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(bytes, as: ProtoFrame.self) { reader throws(WireError) in
            var reader = reader
            var frame = Frame(header: FrameHeader(node: "", incarnation: 0, addressee: 0))
            frame.header.protocolVersion = 0
            while let field = try reader.nextField() {
                switch field {
                case 1: frame.header.protocolVersion = UInt32(truncatingIfNeeded: try reader.number())
                case 2: frame.header.node = try reader.text()
                case 3: frame.header.incarnation = try reader.integer()
                case 4: frame.header.addressee = try reader.integer()
                case 5: frame.calls.append(try RemoteCall(try reader.message()))
                case 6: try reader.numbers { frame.cancelled.append($0) }
                case 7: frame.replies.append(try RemoteReply(try reader.message()))
                case 8:
                    frame.isReset = true
                    var reset = try reader.message()
                    while try reset.nextField() != nil { try reset.skip() }
                default: try reader.skip()
                }
            }
            return frame
        }
    }
}

extension RemoteCall {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        self.init(id: 0, shard: 0, target: 0, remaining: 0, epoch: 0, arguments: [])
        var reader = message
        while let field = try reader.nextField() {
            switch field {
            case 1: self.id = try reader.number()
            case 2:
                guard let shard = UInt16(exactly: try reader.number()) else {
                    throw WireError(.malformed, "a shard that cannot be")
                }
                self.shard = shard
            case 3: self.target = UInt32(truncatingIfNeeded: try reader.number())
            case 4: self.remaining = UInt32(truncatingIfNeeded: try reader.number())
            case 5: self.epoch = try reader.integer()
            case 6: self.arguments.append(try reader.data())
            case 7:
                let (key, value) = try Self.pair(try reader.message())
                self.trace[key] = value
            default: try reader.skip()
            }
        }
    }

    private static func pair(_ message: MessageReader) throws(WireError) -> (String, String) {
        var reader = message
        var pair = ("", "")
        while let field = try reader.nextField() {
            switch field {
            case 1: pair.0 = try reader.text()
            case 2: pair.1 = try reader.text()
            default: try reader.skip()
            }
        }
        return pair
    }
}

extension RemoteReply {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var id: UInt64 = 0
        var outcome: Outcome?
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.number()
            case 2: outcome = .value(try reader.data())
            case 3: outcome = try reader.flag() ? .nothing : nil
            case 4: outcome = .failure(try RemoteFailure(try reader.message()))
            default: try reader.skip()
            }
        }
        guard let outcome else { throw WireError(.malformed, "a reply without an outcome") }
        self.init(id: id, outcome: outcome)
    }
}

extension RemoteFailure {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        // A code that a newer node uses says at least that it failed there.
        self.init(.thrown, "")
        var reader = message
        var number: UInt32?
        var content: [UInt8] = []
        while let field = try reader.nextField() {
            switch field {
            case 1: self.code = Code(rawValue: try reader.word()) ?? .thrown
            case 2: self.message = try reader.text()
            case 3: number = UInt32(truncatingIfNeeded: try reader.number())
            case 4: content = try reader.data()
            default: try reader.skip()
            }
        }
        self.error = number.map { ThrownError(number: $0, content: content) }
    }
}
