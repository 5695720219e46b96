import Clustering
import EventLog
import Foundation
import InMemoryStore
import PerennialTestSupport
import Testing
import WireProtocol
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct MisbehavingPeerTests {
    /// A node that owns shard 0, one that calls it, and a peer that is listed under the name "raw".
    private func run(
        _ body: (_ cluster: TestCluster, _ owner: TestNode, _ raw: RawPeer, _ record: NodeRecord) async throws -> Void
    ) async throws {
        try await TestCluster.run { cluster in
            let owner = try await cluster.start("owner", owning: [0])
            let caller = try await cluster.start("caller")
            let (record, keys) = try await cluster.list("raw")
            try await body(cluster, owner, try await RawPeer(to: owner, keys: keys), record)
            // Whatever it did, others are served.
            let answer = try await caller.worker(0).echo(Bytes([200]))
            #expect(answer == Bytes([200]))
        }
    }

    private func replies(_ answers: [Frame]) -> [RemoteReply] { answers.flatMap(\.replies) }

    @Test func whoeverIsListedIsServed() async throws {
        try await self.run { _, owner, raw, record in
            // when
            let answers = try await raw.send([[Frame.call(from: record, to: owner).bytes]], expecting: 1)
            // then
            #expect(self.replies(answers) == [RemoteReply(id: 1, outcome: .value([1]))])
        }
    }

    @Test func whoeverHasNoListedKeyGetsNothing() async throws {
        try await self.run { cluster, owner, raw, record in
            // given: a stranger who knows everything but a listed key
            let stranger = try await RawPeer(to: owner, keys: CurveKeyPair())
            // when
            var times = 0
            while times < 5 || cluster.log.count(of: "its key is not listed") == 0 {
                let answers = try await stranger.send(
                    [[Frame.call(from: record, to: owner).bytes]], expecting: 1, patience: .milliseconds(100))
                #expect(answers.isEmpty)
                times += 1
            }
            // then
            #expect(owner.journal.entries.isEmpty)
            #expect(cluster.log.count(of: "its key is not listed") == 1)
            _ = raw
        }
    }

    @Test func garbageIsDroppedAndLoggedOnce() async throws {
        try await self.run { cluster, owner, raw, record in
            // given
            var random = SeededRandom(seed: 5)
            let good = Frame.call(from: record, to: owner).bytes
            var messages = (0..<1_000).map { _ in
                [(0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }]
            }
            // Truncated frames, and messages of several parts.
            messages += (0..<good.count).map { [Array(good.prefix($0))] }
            messages += [[good, good], [[], []], [good, [], good]]
            // when
            let answers = try await raw.send(messages + [[good]]) { frames in frames.contains { !$0.replies.isEmpty } }
            // then: a frame that ends early and is one all the same is meant for another run, and changes nothing
            #expect(self.replies(answers) == [RemoteReply(id: 1, outcome: .value([1]))])
            #expect(owner.journal.entries == [[1]])
            #expect(cluster.log.count(of: "not a frame") == 1)
            #expect(cluster.log.count(of: "was refused") <= 5)
        }
    }

    @Test func aReplayedFrameRunsOnce() async throws {
        try await self.run { cluster, owner, raw, record in
            // given
            let frame = Frame.call(from: record, to: owner, id: 10).bytes
            let older = Frame.call(from: record, to: owner, id: 9).bytes
            let newer = Frame.call(from: record, to: owner, id: 11, arguments: [[2]]).bytes
            // when: on one connection, and on another
            let answers = try await raw.send([[frame], [frame], [older], [newer]], expecting: 2)
            let again = try await raw.send(
                [[frame], [newer], [Frame.call(from: record, to: owner, id: 12, arguments: [[3]]).bytes]], expecting: 1)
            // then
            #expect(Set(self.replies(answers).map(\.id)) == [10, 11])
            #expect(self.replies(again).map(\.id) == [12])
            #expect(owner.journal.entries.count == 3)
            #expect(cluster.log.count(of: "a call that came before") == 1)
        }
    }

    @Test func aPeerThatIsNoisyDoesNotHideAnother() async throws {
        try await self.run { cluster, owner, raw, record in
            // given: a second peer that is listed
            let (other, keys) = try await cluster.list("other", incarnation: 78)
            let second = try await RawPeer(to: owner, keys: keys)
            // when: each sends bytes that are no frame, many times
            for (peer, record) in [(raw, record), (second, other)] {
                let garbage = Array(repeating: [[0xFF] as [UInt8]], count: 100)
                _ = try await peer.send(garbage + [[Frame.call(from: record, to: owner).bytes]], expecting: 1)
            }
            // then
            #expect(cluster.log.count(of: "not a frame") == 2)
            #expect(cluster.log.count(of: "node.id=other reason=not a frame") == 1)
        }
    }

    @Test func aRunThatIsOverIsToldNothingButThat() async throws {
        try await self.run { cluster, owner, raw, record in
            // given
            var stale = record
            stale.incarnation = Incarnation(rawValue: 76)
            // when
            let answers = try await raw.send([[Frame.call(from: stale, to: owner).bytes]], expecting: 1)
            // then
            guard case .failure(let failure) = self.replies(answers).first?.outcome else {
                Issue.record("no failure")
                return
            }
            #expect(failure.code == .notOwner)
            #expect(owner.journal.entries.isEmpty)
            #expect(cluster.log.count(of: "a run of its node that is over") == 1)
        }
    }

    @Test func whoeverClaimsToBeAnotherGetsNothing() async throws {
        try await self.run { cluster, owner, raw, record in
            // given
            var other = record
            other.id = NodeID(rawValue: "caller")
            // when
            let answers = try await raw.send(
                [[Frame.call(from: other, to: owner).bytes], [Frame.call(from: record, to: owner, id: 2).bytes]],
                expecting: 1)
            // then
            #expect(self.replies(answers).map(\.id) == [2])
            #expect(cluster.log.count(of: "it claims to be another node") == 1)
        }
    }

    @Test func otherRulesAndOtherRunsAreAnsweredWithAReset() async throws {
        try await self.run { cluster, owner, raw, record in
            // given
            var header = FrameHeader(
                node: "raw", incarnation: record.incarnation.rawValue,
                addressee: owner.configuration.incarnation.rawValue)
            header.protocolVersion = 2
            var version = FrameWriter(header)
            header.protocolVersion = Frame.currentProtocol
            header.addressee &+= 1
            var addressee = FrameWriter(header)
            let call = RemoteCall(
                id: 1, shard: 0, target: Contract.Number.echo, remaining: 60_000, epoch: 0, arguments: [[1]])
            version.add(call)
            addressee.add(call)
            for (frame, reason) in [(version, "it follows other rules"), (addressee, "meant for another run")] {
                // when
                let answers = try await raw.send([[frame.bytes]], expecting: 1)
                // then
                let answer = try #require(answers.first)
                #expect(answer.isReset && answer.replies.isEmpty)
                #expect(cluster.log.count(of: reason) == 1)
            }
            #expect(owner.journal.entries.isEmpty)
        }
    }

    @Test func whatDoesNotFitIsRefusedBeforeItRuns() async throws {
        try await self.run { _, owner, raw, record in
            // given: a function that is not listed, a shard that is not there, one that others own, a newer epoch, and
            // arguments that are missing
            let frames = [
                Frame.call(from: record, to: owner, id: 1, target: 999),
                Frame.call(from: record, to: owner, id: 2, shard: 500),
                Frame.call(from: record, to: owner, id: 3, shard: 7),
                Frame.call(from: record, to: owner, id: 4, epoch: 2),
                Frame.call(from: record, to: owner, id: 5, arguments: []),
                Frame.call(from: record, to: owner, id: 6, target: Contract.Number.submit, arguments: [[1, 2, 3]]),
            ]
            // when
            let answers = try await raw.send(frames.map { [$0.bytes] }, expecting: 6)
            // then
            var codes: [UInt64: RemoteFailure.Code] = [:]
            for reply in self.replies(answers) {
                if case .failure(let failure) = reply.outcome { codes[reply.id] = failure.code }
            }
            #expect(
                codes == [
                    1: .unknownTarget, 2: .malformed, 3: .notOwner, 4: .notOwner, 5: .malformed, 6: .malformed,
                ])
            #expect(owner.journal.entries.isEmpty)
        }
    }

    @Test func whoeverSendsTooMuchIsCutOff() async throws {
        try await TestCluster.run { cluster in
            // given
            let owner = try await cluster.start("owner", owning: [0]) { $0.largestMessage = 1 << 20 }
            let (record, keys) = try await cluster.list("raw")
            let raw = try await RawPeer(to: owner, keys: keys)
            // when
            let large = Frame.call(from: record, to: owner, arguments: [[UInt8](repeating: 0, count: 2 << 20)])
            let answers = try await raw.send([[large.bytes]], expecting: 1, patience: .milliseconds(300))
            // then
            #expect(answers.isEmpty)
            let good = try await raw.send([[Frame.call(from: record, to: owner, id: 2).bytes]], expecting: 1)
            #expect(self.replies(good).map(\.id) == [2])
            #expect(owner.journal.entries == [[1]])
        }
    }

    /// What comes before any handshake.
    @Test func bytesThatAreNoZeroMQHarmNothing() async throws {
        try await self.run { _, owner, raw, record in
            // given
            let port = try #require(raw.endpoint.split(separator: ":").last.flatMap { UInt16($0) })
            var random = SeededRandom(seed: 6)
            let openings: [[UInt8]] = [
                Array("GET / HTTP/1.1\r\n\r\n".utf8), [], [0xFF], [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F],
                // A greeting that asks for no security, with nothing and with garbage after it.
                [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48),
                [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + Array("CURVE".utf8) + [UInt8](repeating: 9, count: 3_000),
            ]
            // when
            for round in 0..<60 {
                var bytes = openings[round % openings.count]
                if round >= openings.count, !bytes.isEmpty {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
                }
                try TCPConnection(port: port).send(bytes)
            }
            // then
            let answers = try await raw.send([[Frame.call(from: record, to: owner).bytes]], expecting: 1)
            #expect(self.replies(answers).map(\.id) == [1])
        }
    }

    @Test func aKeyThatIsRevokedIsWorthNothingOnAnOpenConnection() async throws {
        try await TestCluster.run { cluster in
            // given
            let owner = try await cluster.start("owner", owning: [0])
            let caller = try await cluster.start("caller")
            let worker = try caller.worker(0)
            _ = try await worker.echo(Bytes([1]))
            // when: another key is listed for the same run
            var record = try #require(await caller.node.registration())
            record.curveKeys = [try CurveKeyPair().publicKey]
            try cluster.store.register(record)
            await cluster.refresh()
            // then
            let error = await #expect(throws: ClusterError.self) {
                try await ClusterSystem.$deadline.withValue(.now + .milliseconds(300)) {
                    _ = try await worker.echo(Bytes([2]))
                }
            }
            #expect(error?.code == .deadlineExceeded)
            // The owner may come to it later than the caller gives up.
            while cluster.log.count(of: "its key is not listed") == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(owner.journal.entries == [[1]])
            #expect(cluster.log.count(of: "its key is not listed") == 1)
        }
    }

    @Test func whileAKeyReplacesAnotherBothAreGood() async throws {
        try await TestCluster.run { cluster in
            // given: a node says that it will have another key
            let old = try CurveKeyPair()
            let new = try CurveKeyPair()
            let owner = try await cluster.start("owner", owning: [0], keys: old) { $0.nextPublicKey = new.publicKey }
            let caller = try await cluster.start("caller")
            _ = try await caller.worker(0).echo(Bytes([1]))
            // when: it comes back with that one, while others still have both on their lists
            let record = try #require(await owner.node.registration())
            let endpoint = try #require(record.endpoint)
            await owner.stop()
            let again = try cluster.make("owner", keys: new, bind: endpoint)
            var both = try #require(await again.node.registration())
            both.curveKeys = [old.publicKey, new.publicKey]
            try cluster.store.register(both)
            again.own([0], in: cluster)
            await cluster.refresh()
            // then
            let answer = try await caller.worker(0).echo(Bytes([2]))
            #expect(answer == Bytes([2]))
            #expect(again.journal.entries == [[2]])
        }
    }
}
