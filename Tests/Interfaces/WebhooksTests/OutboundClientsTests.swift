import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import PerennialTestSupport
import Testing
import Webhooks

/// Which address of a host is connected to.
@Suite(.timeLimit(.minutes(10))) struct OutboundClientsTests {
    private let clients = OutboundClients(connections: 1)
    private let addresses = ["1.1.1.1", "1.0.0.1"].compactMap { NetworkAddress($0) }

    @Test func theOrderOfAddressesDoesNotMatter() async {
        let first = self.clients.line(of: "whe_1", to: "one.example", at: self.addresses)

        let again = self.clients.line(of: "whe_1", to: "one.example", at: self.addresses.reversed())
        #expect(again.client === first.client)
        #expect(self.clients.line(of: "whe_1", to: "other.example", at: self.addresses).client !== first.client)
        await self.clients.shutdown()
    }

    @Test func eachEndpointHasConnectionsOfItsOwn() async {
        let (start, host) = (ContinuousClock.now, "one.example")
        let first = self.clients.line(of: "whe_1", to: host, at: self.addresses, now: start)
        let second = self.clients.line(of: "whe_2", to: host, at: self.addresses, now: start)
        #expect(first.client !== second.client)
        // What the one cannot reach the other may.
        self.clients.giveUp(first)
        #expect(self.clients.line(of: "whe_2", to: host, at: self.addresses, now: start).client === second.client)

        // One that has long sent nothing keeps nothing.
        _ = self.clients.line(of: "whe_3", to: host, at: self.addresses, now: start + .seconds(601))
        #expect(self.clients.count == 1)
        await self.clients.shutdown()
    }

    @Test func anAddressThatTheHostHasNoMoreIsNotUsed() async {
        let first = self.clients.line(of: "whe_1", to: "one.example", at: [self.addresses[0]])
        let second = self.clients.line(of: "whe_1", to: "one.example", at: [self.addresses[1]])

        #expect(second.client !== first.client)
        #expect(second.address.text == "1.0.0.1")
        await self.clients.shutdown()
    }

    @Test func anotherAddressIsTriedAfterOneThatCannotBeReached() async {
        let first = self.clients.line(of: "whe_1", to: "one.example", at: self.addresses)
        self.clients.giveUp(first)
        let second = self.clients.line(of: "whe_1", to: "one.example", at: self.addresses)

        #expect(second.address.text == "1.0.0.1")
        // Whoever says so late says nothing about the new one.
        self.clients.giveUp(first)
        #expect(self.clients.line(of: "whe_1", to: "one.example", at: self.addresses).client === second.client)
        self.clients.giveUp(second)
        let third = self.clients.line(of: "whe_1", to: "one.example", at: self.addresses)
        #expect(third.address.text == "1.1.1.1")
        await self.clients.shutdown()
    }

    @Test func aRefusedConnectionLeadsToAnotherAddress() async throws {
        // Nothing listens at the port of TCP's port service multiplexer.
        let loopback = ["127.0.0.1", "127.0.0.2"].compactMap { NetworkAddress($0) }
        let line = self.clients.line(of: "whe_1", to: "localhost", at: loopback)
        let error = await #expect(throws: (any Error).self) {
            _ = try await line.client.execute(HTTPClientRequest(url: "http://localhost:1/"), timeout: .minutes(9))
        }
        self.clients.record(try #require(error), of: line)

        #expect(self.clients.line(of: "whe_1", to: "localhost", at: loopback).address.text == "127.0.0.2")
        await self.clients.shutdown()
    }

    /// Serves `slow`, which says when a request has arrived, and answers when one may depart.
    private func answerSlowly(
        _ body: (String, AsyncStream<Void>, AsyncStream<Void>.Continuation) async throws -> Void
    ) async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (departures, departure) = AsyncStream<Void>.makeStream()
        let router = Router()
        router.get("slow") { _, _ in
            arrival.yield()
            for await _ in departures { break }
            return HTTPResponse.Status.noContent
        }
        try await router.serve { try await body($0, arrivals, departure) }
    }

    @Test func whatIsStoppedSaysNothingAboutTheAddress() async throws {
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        try await self.answerSlowly { address, arrivals, departure in
            // given
            let line = self.clients.line(of: "whe_1", to: "localhost", at: [loopback])
            let url = address.replacing("127.0.0.1", with: "localhost")
            let request = Task {
                try await line.client.execute(HTTPClientRequest(url: "\(url)/slow"), timeout: .minutes(9)).status
            }
            for await _ in arrivals { break }
            // when
            request.cancel()
            let error = await #expect(throws: (any Error).self) { _ = try await request.value }
            self.clients.record(try #require(error), of: line)
            // then those who share the client keep it
            #expect(self.clients.line(of: "whe_1", to: "localhost", at: [loopback]).client === line.client)
            departure.finish()
            await self.clients.shutdown()
        }
    }

    @Test(
        arguments: [
            IOError(errnoCode: 104, reason: "read"), ChannelError.ioOnClosedChannel, HTTPParserError.invalidChunkSize,
            HTTPClientError.remoteConnectionClosed, HTTPClientError.deadlineExceeded,
        ] as [any Error])
    func aConnectionThatBreaksSaysNothingAboutTheAddress(_ error: any Error) async {
        let line = self.clients.line(of: "whe_1", to: "one.example", at: self.addresses)

        self.clients.record(error, of: line)

        #expect(self.clients.line(of: "whe_1", to: "one.example", at: self.addresses).client === line.client)
        await self.clients.shutdown()
    }

    @Test func whatIsUnderWayWhenAnAddressIsGivenUpStillEnds() async throws {
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        try await self.answerSlowly { address, arrivals, departure in
            // given: a request that has arrived, and has no answer yet
            let line = self.clients.line(of: "whe_1", to: "localhost", at: [loopback])
            let url = address.replacing("127.0.0.1", with: "localhost")
            async let answer = line.client.execute(HTTPClientRequest(url: "\(url)/slow"), timeout: .minutes(9))
            for await _ in arrivals { break }
            // when its address is given up, and used anew
            self.clients.giveUp(line)
            #expect(self.clients.line(of: "whe_1", to: "localhost", at: [loopback]).client !== line.client)
            departure.yield()
            // then
            let status = try await answer.status
            #expect(status == .noContent)
            await self.clients.shutdown()
        }
    }
}
