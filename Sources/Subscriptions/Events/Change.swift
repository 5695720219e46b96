/// A domain name for what an event changed. Open, because an older binary must read what a newer one wrote.
package struct Change: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
