import ArgumentParser

/// A TCP port to listen on; 0 takes a free one.
struct PortNumber: ExpressibleByArgument, CustomStringConvertible {
    let value: Int

    init(_ value: UInt16) { self.value = Int(value) }

    init?(argument: String) {
        guard let value = UInt16(argument) else { return nil }
        self.init(value)
    }

    var description: String { String(self.value) }
}
