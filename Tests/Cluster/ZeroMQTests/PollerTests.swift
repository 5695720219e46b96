import Foundation
import Testing
import ZeroMQ

/// A socket's descriptor tells of news once, and whatever uses the socket may take note of them by the way.
@Suite(.timeLimit(.minutes(1))) struct PollerTests {
    private struct Line: ~Copyable {
        let near: Socket
        let far: Socket

        init(_ context: Context, _ name: String) throws {
            let near = try Socket(.pair, in: context)
            let far = try Socket(.pair, in: context)
            try far.connect(try near.bind("inproc://\(name)"))
            self.near = near
            self.far = far
        }

        /// What has come and was not received yet; empties the socket.
        func receiveAll() throws -> [[UInt8]] {
            var part = MessagePart()
            var messages: [[UInt8]] = []
            while try self.near.receive(&part) { messages.append(part.bytes) }
            return messages
        }
    }

    private func isReadable(_ socket: borrowing Socket, within patience: Duration) throws -> Bool {
        var poller = Poller()
        let place = poller.add(socket)
        try poller.wait(until: .now + patience)
        return poller.isReadable(place)
    }

    /// libzmq looks for news when it sends, at most every few milliseconds.
    private func letThrottlePass() { usleep(20_000) }

    @Test func aMessageThatComesLaterWakes() throws {
        let line = try Line(Context(), "later")
        for number in 0..<3 as Range<UInt8> {
            #expect(try !self.isReadable(line.near, within: .milliseconds(1)))
            _ = try line.far.send([number])
            #expect(try self.isReadable(line.near, within: .seconds(20)))
            #expect(try line.receiveAll() == [[number]])
        }
    }

    @Test func aMessageThatSendingTookNoteOfIsFound() throws {
        // given: all is received
        let line = try Line(Context(), "sending")
        #expect(try line.receiveAll() == [])
        // when
        _ = try line.far.send([1])
        self.letThrottlePass()
        _ = try line.near.send([2])
        // then
        #expect(try self.isReadable(line.near, within: .seconds(5)))
        #expect(try line.receiveAll() == [[1]])
    }

    @Test func whatWasNotReceivedIsFoundAgainAndAgain() throws {
        let line = try Line(Context(), "again")
        _ = try line.far.send([1])
        _ = try line.far.send([2])
        for _ in 0..<3 { #expect(try self.isReadable(line.near, within: .seconds(5))) }
        var part = MessagePart()
        #expect(try line.near.receive(&part))
        #expect(try self.isReadable(line.near, within: .seconds(5)))
    }

    @Test func aSocketThatIsAlwaysReadyHidesNobodysNews() throws {
        // given: one socket that was emptied, and one that never is
        let context = try Context()
        let busy = try Line(context, "busy")
        let quiet = try Line(context, "quiet")
        _ = try quiet.receiveAll()
        _ = try busy.far.send([1])
        var poller = Poller()
        let places = (busy: poller.add(busy.near), quiet: poller.add(quiet.near))
        try poller.wait(until: .now + .seconds(5))
        #expect(poller.isReadable(places.busy) && !poller.isReadable(places.quiet))
        // when
        _ = try quiet.far.send([2])
        try poller.wait(until: .now + .seconds(5))
        // then
        #expect(poller.isReadable(places.busy) && poller.isReadable(places.quiet))
    }

    @Test func aSocketThatTakesMessagesIsWritableAtOnce() throws {
        let line = try Line(Context(), "writable")
        _ = try line.receiveAll()
        var poller = Poller()
        let place = poller.add(line.near, whenWritable: true)
        try poller.wait(until: .now + .seconds(5))
        #expect(poller.isWritable(place) && !poller.isReadable(place))
    }
}
