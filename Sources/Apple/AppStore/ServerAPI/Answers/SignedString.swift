/// A compact JWS of an answer, not verified yet. Its description hides it.
package struct SignedString: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package var jws: [UInt8]

    package init(jws: [UInt8]) { self.jws = jws }

    package var description: String { "a signed string of \(self.jws.count) bytes" }
    package var debugDescription: String { self.description }
}
