extension StreamAnswer {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var id: UInt64 = 0
        var content: Content?
        while let field = try reader.nextField() {
            switch field {
            case 1: id = try reader.number()
            case 2: content = .heads(try StreamBeat(reader.message(unless: content != nil)))
            case 3: content = .snapshot(try SnapshotPage(reader.message(unless: content != nil)))
            case 4: content = .changes(try ChangesPage(reader.message(unless: content != nil)))
            case 5: content = .failure(try StreamFailure(reader.message(unless: content != nil)))
            case 6: content = .rules(try NumberedRules(reader.message(unless: content != nil)))
            default: try reader.skip()
            }
        }
        guard let content else { throw WireError(.malformed, "an answer that says nothing") }
        self.init(id: id, content)
    }
}

extension SnapshotPage {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var (origin, head): (StreamOrigin?, ServedHead?)
        self.init(origin: .unknown, head: .nothing, images: [], next: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: origin = try StreamOrigin(reader.message(unless: origin != nil))
            case 2: head = try ServedHead(reader.message(unless: head != nil))
            case 3: self.images.append(try SubscriptionImage(reader.message()))
            case 4: self.next = try reader.data()
            default: try reader.skip()
            }
        }
        self.origin = origin ?? .unknown
        self.head = head ?? .nothing
    }
}

extension ChangesPage {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var (origin, head): (StreamOrigin?, ServedHead?)
        self.init(origin: .unknown, head: .nothing, deltas: [])
        while let field = try reader.nextField() {
            switch field {
            case 1: origin = try StreamOrigin(reader.message(unless: origin != nil))
            case 2: head = try ServedHead(reader.message(unless: head != nil))
            case 3: self.deltas.append(try StreamDelta(reader.message()))
            default: try reader.skip()
            }
        }
        self.origin = origin ?? .unknown
        self.head = head ?? .nothing
    }
}

extension StreamFailure {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var (number, retryAfter) = (0, UInt32(0))
        while let field = try reader.nextField() {
            switch field {
            case 1: number = try reader.word()
            case 2: retryAfter = UInt32(truncatingIfNeeded: try reader.number())
            default: try reader.skip()
            }
        }
        guard let code = Code(rawValue: number) else { throw WireError(.unknownWord, "a failure of number \(number)") }
        self.init(code, retryAfter: retryAfter)
    }
}
