import Testing
import Webhooks

/// Where webhooks may go.
@Suite struct OutboundGuardTests {
    private func verdict(_ text: String, allowing networks: [String] = []) throws -> OutboundGuard.Verdict {
        OutboundGuard(allowing: networks.compactMap(Network.init)).verdict(on: try #require(NetworkAddress(text)))
    }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "100.64.0.1", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.168.1.1", "198.19.255.255", "224.0.0.1", "255.255.255.255", "192.0.0.8", "203.0.113.7",
        "::", "::1", "fc00::1", "fdff::1", "fe80::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1", "100::1", "2001::1",
        "::ffff:0:127.0.0.1", "::ffff:0:a9fe:a9fe", "::ffff:0:10.0.0.1", "64:ff9b:1::7f00:1", "64:ff9c::1",
        "2002:a9fe:a9fe::",
        "2001:0:7f00:1::", "2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:10.0.0.1", "fe80::5efe:7f00:1",
        "::2:127.0.0.1",
        "100:0:0:1::1", "1fff::1", "4000::1", "5f00::1", "fec0::1", "3fff::1",
    ])
    func whatIsNotForThePublicIsRefused(_ address: String) throws { #expect(try self.verdict(address) == .refused) }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "172.15.255.255", "172.32.0.0", "223.255.255.255", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101",
        "2002:101:101::", "::ffff:0:1.1.1.1", "2606:4700::5efe:1.1.1.1", "3ffe::1", "2a00:1450:4001:806::200e",
    ])
    func thePublicIsOpen(_ address: String) throws { #expect(try self.verdict(address) == .open) }

    @Test func anOperatorMayAllowMore() throws {
        #expect(try self.verdict("10.1.2.3", allowing: ["10.1.0.0/16"]) == .allowed)
        #expect(try self.verdict("10.2.2.3", allowing: ["10.1.0.0/16"]) == .refused)
        #expect(try self.verdict("::ffff:10.1.2.3", allowing: ["10.1.0.0/16"]) == .allowed)
        #expect(try self.verdict("fd00::7", allowing: ["fd00::/8"]) == .allowed)
        #expect(try self.verdict("127.0.0.1", allowing: ["127.0.0.1"]) == .allowed)
        #expect(try self.verdict("127.0.0.2", allowing: ["127.0.0.1"]) == .refused)
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "10.0.0.0/8/8", "x", "::/129", "10.0.0.0/", "127.1",
    ])
    func whatIsNoNetworkIsRefused(_ text: String) { #expect(Network(text) == nil) }

    private func addresses(_ url: String, allowing networks: [String] = []) async throws -> [String] {
        try await OutboundGuard(allowing: networks.compactMap(Network.init)).addresses(
            of: try #require(WebhookTarget(url))
        ).map(\.text)
    }

    @Test(arguments: [
        "https://localhost/x", "https://127.0.0.1/x", "https://[::1]/x", "https://0x7f000001/", "https://2130706433/",
        "https://127.1/", "https://[::ffff:169.254.169.254]/", "http://1.1.1.1/", "https://no-such-host.invalid/",
    ])
    func aHostThatLeadsInsideIsRefused(_ url: String) async {
        await #expect(throws: DeliveryFailure.self) { _ = try await self.addresses(url) }
    }

    @Test func theAddressesThatWereLookedAtAreTheOnesToUse() async throws {
        #expect(try await self.addresses("https://1.1.1.1/x") == ["1.1.1.1"])
        #expect(try await self.addresses("https://[2606:4700::1111]/x") == ["2606:4700::1111"])
        // Plain HTTP, where an operator has allowed it.
        #expect(try await self.addresses("http://127.0.0.1:80/x", allowing: ["127.0.0.0/8"]) == ["127.0.0.1"])
        await #expect(throws: DeliveryFailure.self) {
            _ = try await self.addresses("http://1.1.1.1/", allowing: ["10.0.0.0/8"])
        }
    }

    @Test(arguments: [
        "", "x", "ftp://a/", "https://", "https:///x", "//a/b", "https://user@a/", "https://user:pass@a/",
        "https://a/#f",
        "https://a/\u{0}", "https://a/ b", "https://ä/", "https://a/" + String(repeating: "x", count: 2_048),
    ])
    func whatIsNoTargetIsRefused(_ url: String) { #expect(WebhookTarget(url) == nil) }

    @Test func aTargetKnowsItsHost() {
        #expect(WebhookTarget("https://a.example:8443/x?y=1")?.host == "a.example")
        #expect(WebhookTarget("HTTPS://a.example/")?.isSecure == true)
        #expect(WebhookTarget("http://[::1]:80/")?.host == "::1")
        #expect(WebhookTarget("http://[::1]:80/")?.isSecure == false)
    }
}
