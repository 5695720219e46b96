import EventLog

extension StreamDelta {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var origin: StreamOrigin?
        var (previous, position): (StreamPosition?, StreamPosition?)
        var image: SubscriptionImage?
        var epoch: Int64 = 0
        while let field = try reader.nextField() {
            switch field {
            case 1: origin = try StreamOrigin(reader.message(unless: origin != nil))
            case 2: epoch = try reader.integer()
            case 3: previous = try StreamPosition(reader.message(unless: previous != nil))
            case 4: position = try StreamPosition(reader.message(unless: position != nil))
            case 5: image = try SubscriptionImage(reader.message(unless: image != nil))
            default: try reader.skip()
            }
        }
        self.init(
            origin: origin ?? .unknown, epoch: Epoch(rawValue: epoch), previous: previous,
            position: position ?? .start, image: image ?? .nothing)
    }
}

extension StreamBeat {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var origin: StreamOrigin?
        self.init(origin: .unknown, node: "", servicePort: 0, shardCount: 0, heads: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: origin = try StreamOrigin(reader.message(unless: origin != nil))
            case 2: self.node = try reader.text()
            case 3: self.servicePort = try reader.smallNumber()
            case 4: self.shardCount = Int(try reader.smallNumber())
            case 5: self.heads.append(try ServedHead(reader.message()))
            default: try reader.skip()
            }
        }
        self.origin = origin ?? .unknown
    }
}
