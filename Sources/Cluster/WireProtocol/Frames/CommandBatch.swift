/// Several commands, or their outcomes, as one argument or result (proto: `Batch`): one look-up of a function serves them
/// all. Each is bytes here, so that whoever sends one writes it, and whoever runs one reads it.
package struct CommandBatch: WireRepresentable {
    package var items: [[UInt8]]

    package init(_ items: [[UInt8]]) { self.items = items }

    package init(wireBytes: [UInt8]) throws {
        self.items = try MessageReader.read(wireBytes, as: ProtoBatch.self) { reader throws(WireError) in
            var reader = reader
            var items: [[UInt8]] = []
            while let field = try reader.nextField() {
                if field == 1 { items.append(try reader.data()) } else { try reader.skip() }
            }
            return items
        }
    }

    package func wireBytes() -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: self.items.reduce(0) { $0 + $1.count + 4 })
        for item in self.items { writer.write(item, 1) }
        return writer.bytes
    }
}
