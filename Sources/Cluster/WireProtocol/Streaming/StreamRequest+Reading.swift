import EventLog

extension StreamRequest {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var id: UInt64 = 0
        var content: Content?
        var withCustomers = false
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.number()
            case 2:
                try reader.skipMessage(unless: content != nil)
                content = .probe
            case 3: content = try Self.snapshot(reader.message(unless: content != nil))
            case 4: content = try Self.changes(reader.message(unless: content != nil))
            case 5:
                try reader.skipMessage(unless: content != nil)
                content = .rules
            case 6: withCustomers = try reader.flag()
            default: try reader.skip()
            }
        }
        guard let content else { throw WireError(.malformed, "a request that asks nothing") }
        self.init(id: id, content, withCustomers: withCustomers)
    }

    private static func snapshot(_ message: MessageReader) throws(WireError) -> Content {
        var reader = message
        var (shard, after, limit): (UInt16, [UInt8], UInt32) = (0, [], 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: shard = try reader.smallNumber()
            case 2: after = try reader.data()
            case 3: limit = UInt32(truncatingIfNeeded: try reader.number())
            default: try reader.skip()
            }
        }
        return .snapshot(ShardID(rawValue: shard), after: after, limit: limit)
    }

    private static func changes(_ message: MessageReader) throws(WireError) -> Content {
        var reader = message
        var (shard, limit): (UInt16, UInt32) = (0, 0)
        var after: StreamPosition?
        while let field = try reader.nextField() {
            switch field {
            case 1: shard = try reader.smallNumber()
            case 2: after = try StreamPosition(reader.message(unless: after != nil))
            case 3: limit = UInt32(truncatingIfNeeded: try reader.number())
            default: try reader.skip()
            }
        }
        return .changes(ShardID(rawValue: shard), after: after ?? .start, limit: limit)
    }
}

extension MessageReader {
    /// A message without content.
    fileprivate mutating func skipMessage(unless first: Bool) throws(WireError) {
        var message = try self.message(unless: first)
        while try message.nextField() != nil { try message.skip() }
    }
}
