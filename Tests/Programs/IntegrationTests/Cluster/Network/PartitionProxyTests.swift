import Foundation
import PerennialTestSupport
import Testing

struct PartitionProxyTests {
    private let server: (descriptor: Int32, port: Int)
    private let proxy: PartitionProxy

    init() throws {
        self.server = try LoopbackAddress(port: 0).listen()
        self.proxy = try PartitionProxy(to: LoopbackAddress(port: self.server.port))
    }

    /// Both ends of a connection through the proxy. Blocks.
    private func connect() throws -> (client: Int32, server: Int32) {
        let client = try #require(LoopbackAddress(port: self.proxy.port).connect())
        return (client, accept(self.server.descriptor, nil, nil))
    }

    /// nil when nothing comes.
    private static func receive(_ descriptor: Int32, within milliseconds: Int32) -> UInt8? {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, milliseconds) > 0 else { return nil }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? byte : nil
    }

    private static func send(_ byte: UInt8, to descriptor: Int32) {
        _ = [byte].withUnsafeBytes { write(descriptor, $0.baseAddress, 1) }
    }

    @Test func whatIsSentWhileItIsCutArrivesWhenItIsHealed() async throws {
        try await onOwnThread {
            let ends = try self.connect()
            Self.send(1, to: ends.client)
            #expect(Self.receive(ends.server, within: 600_000) == 1)

            self.proxy.cut()
            Self.send(2, to: ends.client)
            Self.send(3, to: ends.server)
            #expect(Self.receive(ends.server, within: 100) == nil)
            #expect(Self.receive(ends.client, within: 100) == nil)

            self.proxy.heal()
            #expect(Self.receive(ends.server, within: 600_000) == 2)
            #expect(Self.receive(ends.client, within: 600_000) == 3)
        }
    }

    @Test func aConnectionThatBeginsWhileItIsCutHangs() async throws {
        try await onOwnThread {
            self.proxy.cut()
            let client = try #require(LoopbackAddress(port: self.proxy.port).connect())
            #expect(Self.receive(self.server.descriptor, within: 100) == nil)
            self.proxy.heal()
            let server = accept(self.server.descriptor, nil, nil)
            Self.send(1, to: server)
            #expect(Self.receive(client, within: 600_000) == 1)
        }
    }

    @Test func oneProcessCanBeCutOffAlone() async throws {
        try await onOwnThread {
            let ends = try self.connect()
            self.proxy.cut(from: getppid())
            Self.send(1, to: ends.client)
            #expect(Self.receive(ends.server, within: 600_000) == 1)

            self.proxy.cut(from: getpid())
            Self.send(2, to: ends.client)
            #expect(Self.receive(ends.server, within: 100) == nil)
            self.proxy.heal()
            #expect(Self.receive(ends.server, within: 600_000) == 2)
        }
    }

    @Test func theConnectionsOfOneProcessAreCounted() async throws {
        try await onOwnThread {
            let (ends, others) = (try self.connect(), try self.connect())
            for end in [ends, others] {
                Self.send(1, to: end.client)
                #expect(Self.receive(end.server, within: 600_000) == 1)
            }
            #expect(self.proxy.connections(from: getpid()) == 2)
            #expect(self.proxy.connections(from: getppid()) == 0)
        }
    }

    @Test func whoseAConnectionIsIsNotLookedForOnceItHasEnded() {
        // when: there is none
        var looks = 0
        let processes = SocketOwner.processes(connectedFrom: 1, to: 2) {
            looks += 1
            return looks < 3
        }
        // then
        #expect(processes.isEmpty)
        #expect(looks == 3)
    }

    // MARK: One exchange alone

    /// Waits until the request has been met.
    private func untilHolding() {
        while !self.proxy.snare.isHolding { Thread.sleep(forTimeInterval: 0.002) }
    }

    @Test func aRequestThatIsHeldArrivesLateAndOthersAreNotHeld() async throws {
        try await onOwnThread {
            let (ends, others) = (try self.connect(), try self.connect())
            self.proxy.snare.set(for: .request, of: [7])
            Self.send(1, to: ends.client)
            #expect(Self.receive(ends.server, within: 600_000) == 1)
            Self.send(7, to: ends.client)
            self.untilHolding()
            #expect(Self.receive(ends.server, within: 100) == nil)
            Self.send(7, to: others.client)
            #expect(Self.receive(others.server, within: 600_000) == 7)

            #expect(self.proxy.snare.release())
            #expect(Self.receive(ends.server, within: 600_000) == 7)
            #expect(!self.proxy.snare.isAnswered)
            Self.send(8, to: ends.server)
            #expect(Self.receive(ends.client, within: 600_000) == 8)
            #expect(self.proxy.snare.isAnswered)
        }
    }

    @Test(arguments: [StalledProxy.Part.request, .answer])
    func whatIsDroppedIsLostWithItsConnection(_ part: StalledProxy.Part) async throws {
        try await onOwnThread {
            let ends = try self.connect()
            self.proxy.snare.set(for: part, of: [7])
            Self.send(7, to: ends.client)
            self.untilHolding()
            if part == .answer {
                #expect(Self.receive(ends.server, within: 600_000) == 7)
                Self.send(8, to: ends.server)
                #expect(Self.receive(ends.client, within: 100) == nil)
            }
            #expect(self.proxy.snare.drop())
            for end in [ends.client, ends.server] {
                var event = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
                #expect(poll(&event, 1, 600_000) > 0)
                #expect(Self.receive(end, within: 0) == nil)
            }
        }
    }
}
