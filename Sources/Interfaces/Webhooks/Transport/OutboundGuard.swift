/// Decides where webhooks may be sent: not to what only this network can reach, because whoever names an address could
/// have us call it (server-side request forgery). An operator may allow networks of his own.
package struct OutboundGuard: Sendable {
    private let allowed: [Network]

    /// - Parameter allowed: `webhooks.allow`.
    package init(allowing allowed: [Network] = []) { self.allowed = allowed }

    /// What is not for the public, by the special-purpose address registries of IANA (RFC 6890), and multicast. `2001::/23`
    /// has Teredo (RFC 4380), which leads to addresses of IPv4.
    private static let refused: [Network] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "3fff::/20",
    ].compactMap(Network.init)

    /// Of IPv6, what IANA gives out to the public. All else is for special purposes, or for none yet.
    private static let globalUnicast = Network("2000::/3")

    /// Addresses of IPv6 that lead to one of IPv4, and where in them that stands: mapped and compatible (RFC 4291),
    /// translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056).
    private static let wrappers: [(network: Network, offset: Int)] = [
        ("::ffff:0:0/96", 12), ("::/96", 12), ("::ffff:0:0:0/96", 12), ("64:ff9b::/96", 12), ("2002::/16", 2),
    ].compactMap { text, offset in Network(text).map { ($0, offset) } }

    /// Of an address within any network of IPv6 that leads to one of IPv4: ISATAP (RFC 5214 §6.1).
    private static let isatap: [[UInt8]] = [[0x00, 0x00, 0x5E, 0xFE], [0x02, 0x00, 0x5E, 0xFE]]

    /// The address of IPv4 that one of IPv6 leads to.
    private static func wrapped(in address: NetworkAddress) -> NetworkAddress? {
        guard address.bytes.count == 16 else { return nil }
        let wrapper = Self.wrappers.first { $0.network.contains(address) }
        guard let offset = wrapper?.offset ?? (Self.isatap.contains(Array(address.bytes[8..<12])) ? 12 : nil) else {
            return nil
        }
        return NetworkAddress(bytes: Array(address.bytes[offset..<offset + 4]))
    }

    package enum Verdict: Hashable, Sendable {
        case open
        /// An operator has allowed it: plain HTTP may be used there.
        case allowed
        case refused
    }

    package func verdict(on address: NetworkAddress) -> Verdict {
        if self.allowed.contains(where: { $0.contains(address) }) { return .allowed }
        if Self.refused.contains(where: { $0.contains(address) }) { return .refused }
        if let wrapped = Self.wrapped(in: address) { return self.verdict(on: wrapped) }
        let isPublic = address.bytes.count == 4 || Self.globalUnicast?.contains(address) == true
        return isPublic ? .open : .refused
    }

    /// The addresses of which one is to be connected to, one at least. Every address of the host is looked at, and no
    /// other than these may be used: a name could lead elsewhere when it is asked again.
    /// - Throws: a failure in words without the address.
    package func addresses(of target: WebhookTarget) async throws(DeliveryFailure) -> [NetworkAddress] {
        let found =
            if let literal = target.literal { [literal] } else { await HostLookup.shared.addresses(of: target.host) }
        guard !found.isEmpty else { throw DeliveryFailure("the host has no address", isAbsence: true) }
        let verdicts = Set(found.map(self.verdict))
        guard !verdicts.contains(.refused) else {
            throw DeliveryFailure(
                "the host is in a network that webhooks are not sent to; an operator may name it in webhooks.allow",
                isAbsence: false)
        }
        guard target.isSecure || verdicts == [.allowed] else {
            throw DeliveryFailure("plain http is for networks of webhooks.allow alone", isAbsence: false)
        }
        return found
    }
}
