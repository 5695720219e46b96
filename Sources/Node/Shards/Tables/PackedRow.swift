package import Entitlements
package import EventLog
package import Subscriptions

/// One stream of an id, with all that a check needs of it.
package struct CheckableStream: Sendable {
    package var app: RowNames.App
    package var version: StreamVersion
    package var row: EntitlementRow

    package init(app: RowNames.App, version: StreamVersion, row: EntitlementRow) {
        self.app = app
        self.version = version
        self.row = row
    }

    /// As it lies in memory, some twenty bytes: a node keeps a million and more, and answers from these bytes.
    ///
    ///     app, version, count of phases, from of the first phase,
    ///     (milliseconds since the phase before, state | entitled << 3 | offer << 4, code + 9, product)…
    ///
    /// Numbers are little-endian base-128 varints, the moment zigzag; app and product are registered numbers, the
    /// product plus 1, because 0 is none.
    func pack(into bytes: inout [UInt8], _ names: RowNames) {
        bytes.appendVarint(UInt64(names.apps.number(of: self.app)))
        bytes.appendVarint(UInt64(bitPattern: self.version.rawValue))
        bytes.appendVarint(UInt64(self.row.phases.count))
        guard let first = self.row.phases.first?.from.milliseconds else { return }
        bytes.appendVarint(UInt64(bitPattern: first << 1 ^ first >> 63))
        var previous = first
        for phase in self.row.phases {
            bytes.appendVarint(UInt64(bitPattern: phase.from.milliseconds &- previous))
            let state = UInt8(EntitlementRow.states.firstIndex(of: phase.state) ?? 0)
            bytes.append(state | (phase.entitled ? 8 : 0) | UInt8(phase.code.offer) << 4)
            bytes.append(UInt8(phase.code.state + 9))
            bytes.appendVarint(phase.productID.map { UInt64(names.products.number(of: $0)) + 1 } ?? 0)
            previous = phase.from.milliseconds
        }
    }
}

/// The answer of one packed row, with its numbers.
package struct PackedAnswer {
    package var app: Int
    package var version: StreamVersion
    package var entitled = false
    /// nil when nothing is known.
    package var state: LifecycleState?
    package var code = CohortCode.nothing
    package var validUntil: Moment?
    package var product: Int?
}

/// Reads the packed rows of one id. The bytes are our own: they are not checked.
package struct PackedRowReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The answer of the next row at `moment`, as `EntitlementRow` gives it; nil after the last one.
    package mutating func next(at moment: Moment) -> PackedAnswer? {
        guard self.offset < self.bytes.count else { return nil }
        let app = Int(self.varint())
        var answer = PackedAnswer(app: app, version: StreamVersion(rawValue: Int64(bitPattern: self.varint())))
        let count = Int(self.varint())
        guard count > 0 else { return answer }
        let zigzag = self.varint()
        var from = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        for index in 0..<count {
            from &+= Int64(bitPattern: self.varint())
            let (first, code, product) = (self.byte(), self.byte(), Int(self.varint()))
            let entitled = first & 8 != 0
            if index == 0 || from <= moment.milliseconds {
                answer.entitled = entitled
                answer.state = EntitlementRow.states[Int(first & 7)]
                answer.code = CohortCode(state: Int(code) - 9, offer: Int(first >> 4))
                answer.product = product == 0 ? nil : product - 1
                answer.validUntil = nil
            } else if answer.entitled, !entitled, answer.validUntil == nil {
                answer.validUntil = Moment(milliseconds: from)
            }
        }
        return answer
    }

    private mutating func byte() -> UInt8 {
        let byte = self.bytes[self.offset]
        self.offset += 1
        return byte
    }

    private mutating func varint() -> UInt64 {
        var byte = self.byte()
        guard byte >= 0x80 else { return UInt64(byte) }
        var value = UInt64(byte & 0x7F)
        var shift: UInt64 = 7
        repeat {
            byte = self.byte()
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
        } while byte >= 0x80
        return value
    }
}

extension [UInt8] {
    fileprivate mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(rest))
    }
}
