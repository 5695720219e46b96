import WireProtocol

/// Bytes as an argument or result. Not private: the runtime finds the parameter types of a distributed function by name.
struct Bytes: WireRepresentable, Equatable {
    var value: [UInt8]

    init(_ value: [UInt8]) { self.value = value }

    init(wireBytes: [UInt8]) { self.value = wireBytes }

    func wireBytes() -> [UInt8] { self.value }
}

/// An error that both sides know.
struct KnownError: Error, WireRepresentable, Equatable {
    var reason: UInt8

    init(_ reason: UInt8) { self.reason = reason }

    init(wireBytes: [UInt8]) throws {
        guard wireBytes.count == 1 else { throw UnknownError() }
        self.reason = wireBytes[0]
    }

    func wireBytes() -> [UInt8] { [self.reason] }
}

/// An error that stays where it is.
struct UnknownError: Error {}
