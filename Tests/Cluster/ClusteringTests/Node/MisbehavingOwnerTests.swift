import Clustering
import PerennialTestSupport
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(10))) struct MisbehavingOwnerTests {
    /// The owner of shard 0 answers as it likes. One call at a time can be made to the worker there: one that did
    /// not end would be in the way of the next.
    private func run(
        answering answer: @escaping RawOwner.Answer,
        _ body: (_ cluster: TestCluster, _ worker: Worker, _ raw: RawOwner) async throws -> Void
    ) async throws {
        try await TestCluster.run { cluster in
            let caller = try await cluster.start("caller") { configuration in
                configuration.callLimit = 1
                configuration.largestMessage = 1 << 20
            }
            let neighbour = try await cluster.start("neighbour", owning: [1])
            let raw = try await RawOwner(answer)
            try await raw.own([0], in: cluster)
            try await body(cluster, try caller.worker(0), raw)
            // Whatever it said, others are heard.
            let other = try await caller.worker(1).echo(Bytes([200]))
            #expect(other == Bytes([200]))
            withExtendedLifetime((raw, neighbour)) {}
        }
    }

    private func expectAnswers(from worker: Worker, count: UInt8 = 5) async throws {
        for number in 1...count {
            let answer = try await worker.echo(Bytes([number]))
            #expect(answer == Bytes([number]))
        }
    }

    @Test func answersThatAreNoneAreDroppedAndLoggedOnce() async throws {
        // given
        var random = SeededRandom(seed: 9)
        let garbage = (0..<300).map { _ in
            (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        // A frame by accident: a reset is believed.
        let messages = garbage.filter { (try? Frame(decoding: $0))?.isReset != true }.map { [$0] }
        try await self.run { frame in
            let good = frame.answer()
            // Truncated frames, and messages of several parts.
            let truncated = (0..<good.count).map { [Array(good.prefix($0))] }
            return messages + truncated + [[good, good], [[], []], [good, [], good], [good]]
        } _: { cluster, worker, _ in
            // when
            try await self.expectAnswers(from: worker)
            // then: a frame that ends early and is one all the same is of another run, or follows other rules
            #expect(cluster.log.count(of: "not a frame") == 1)
            #expect(cluster.log.count(of: "was refused") <= 3)
        }
    }

    @Test func answersOfOtherRulesAndOtherRunsAreDroppedAndLoggedOnce() async throws {
        // given
        try await self.run { frame in
            var headers = [FrameHeader](repeating: frame.answerHeader, count: 3)
            headers[0].protocolVersion += 1
            headers[1].incarnation &+= 1
            headers[2].addressee &+= 1
            return headers.map { [frame.answer(under: $0, with: [66])] } + [[frame.answer()]]
        } _: { cluster, worker, _ in
            // when
            try await self.expectAnswers(from: worker)
            // then
            #expect(cluster.log.count(of: "it follows other rules") == 1)
            #expect(cluster.log.count(of: "a run of its node that is over") == 1)
            #expect(cluster.log.count(of: "was refused") == 2)
        }
    }

    @Test func aCallWithoutAnAnswerToItEndsAtItsDeadline() async throws {
        // given
        try await self.run { frame in
            frame.calls.first?.arguments == [[0]]
                ? [[[0xFF]], [frame.answer(with: [66], offset: 1_000)]] : [[frame.answer()]]
        } _: { _, worker, _ in
            // when
            let error = await #expect(throws: ClusterError.self) {
                try await ClusterSystem.$deadline.withValue(.now + .milliseconds(300)) {
                    _ = try await worker.echo(Bytes([0]))
                }
            }
            // then
            #expect(error?.code == .deadlineExceeded)
            try await self.expectAnswers(from: worker)
        }
    }

    @Test func answersToOtherCallsAndToTheSameCallTwiceEndNothing() async throws {
        // given: the next call is answered before it is made, and each once more after its answer
        try await self.run { frame in
            [
                [frame.answer(with: [66], offset: 1)], [frame.answer(with: [66], offset: 1_000)], [frame.answer()],
                [frame.answer(with: [66])], [frame.answer()],
            ]
        } _: { _, worker, raw in
            // when, then
            try await self.expectAnswers(from: worker, count: 50)
            #expect(raw.calls.count == 50)
        }
    }

    @Test func anAnswerThatIsTooLargeIsTheEndOfItsConnectionAlone() async throws {
        // given
        try await self.run { frame in
            let isLarge = frame.calls.first?.arguments == [[0]]
            return [[frame.answer(with: isLarge ? [UInt8](repeating: 0, count: 2 << 20) : nil)]]
        } _: { _, worker, _ in
            for _ in 0..<2 {
                // when
                let error = await #expect(throws: ClusterError.self) { _ = try await worker.echo(Bytes([0])) }
                // then
                #expect(error?.code == .connectionLost)
                try await self.expectAnswers(from: worker)
            }
        }
    }

    @Test func aResetIsTheEndOfItsCallsAndLaterOnesHaveGreaterNumbers() async throws {
        // given: an answer after it is one too many
        try await self.run { frame in
            guard frame.calls.first?.arguments == [[0]] else { return [[frame.answer()]] }
            var reset = FrameWriter(frame.answerHeader)
            reset.addReset()
            return [[reset.bytes], [frame.answer()]]
        } _: { _, worker, raw in
            for _ in 0..<2 {
                // when
                let error = await #expect(throws: ClusterError.self) { _ = try await worker.echo(Bytes([0])) }
                // then
                #expect(error?.code == .connectionLost)
                try await self.expectAnswers(from: worker)
            }
            let ids = raw.calls.map(\.id)
            #expect(ids == Set(ids).sorted())
        }
    }
}
