import EventLog
import Subscriptions

// A message that is left out is read as one that says nothing, as Protocol Buffers has it; a delta may lack `previous`.

extension SubscriptionImage {
    static let nothing = SubscriptionImage(key: [], version: .zero, entitlement: [])

    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        self = .nothing
        var leads: MessageReader?
        while let field = try reader.nextField() {
            switch field {
            case 1: self.key = try reader.data()
            case 2: self.version = StreamVersion(rawValue: try reader.integer())
            case 3: self.entitlement = try reader.data()
            case 5: leads = try reader.message(unless: leads != nil)
            case 6: self.customer = try reader.message(unless: self.customer != nil).copy
            default: try reader.skip()
            }
        }
        self.lookups = try leads?.lookups(to: self.key)
    }
}

extension MessageReader {
    /// nil with one of a kind that is not known here: then it may be any.
    fileprivate func lookups(to key: [UInt8]) throws(WireError) -> [Lookup]? {
        var reader = self
        var lookups: [Lookup] = []
        while let field = try reader.nextField() {
            guard field == 1 else {
                try reader.skip()
                continue
            }
            let bytes = try reader.data()
            guard let kind = bytes.first.flatMap(IdentifierHash.Kind.init), let hash = IdentifierHash(bytes.dropFirst())
            else { return nil }
            lookups.append(Lookup(kind: kind, hash: hash, key: key))
        }
        return lookups
    }
}

extension ServedHead {
    static let nothing = ServedHead(
        shard: ShardID(rawValue: 0), epoch: Epoch(rawValue: 0), position: .start, rules: 0)

    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var (shard, epoch, rules, customerRules): (UInt16, Int64, UInt32, UInt32) = (0, 0, 0, 0)
        var position: StreamPosition?
        while let field = try reader.nextField() {
            switch field {
            case 1: shard = try reader.smallNumber()
            case 2: epoch = try reader.integer()
            case 3: position = try StreamPosition(reader.message(unless: position != nil))
            case 4: rules = UInt32(truncatingIfNeeded: try reader.number())
            case 5: customerRules = UInt32(truncatingIfNeeded: try reader.number())
            default: try reader.skip()
            }
        }
        self.init(
            shard: ShardID(rawValue: shard), epoch: Epoch(rawValue: epoch), position: position ?? .start, rules: rules,
            customerRules: customerRules)
    }
}

extension StreamPosition {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var (sequence, tag): (Int64, UInt32) = (0, 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: sequence = try reader.integer()
            case 2: tag = UInt32(truncatingIfNeeded: try reader.number())
            default: try reader.skip()
            }
        }
        self.init(sequence: LogSequence(rawValue: sequence), tag: tag)
    }
}

extension StreamOrigin {
    static let unknown = StreamOrigin(storeID: 0, restoreGeneration: 0)

    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        self = .unknown
        while let field = try reader.nextField() {
            switch field {
            case 1: self.storeID = try reader.number()
            case 2: self.restoreGeneration = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension MessageReader {
    /// A shard, or a port.
    mutating func smallNumber() throws(WireError) -> UInt16 {
        guard let number = UInt16(exactly: try self.number()) else {
            throw WireError(.malformed, "a number that cannot be")
        }
        return number
    }
}
