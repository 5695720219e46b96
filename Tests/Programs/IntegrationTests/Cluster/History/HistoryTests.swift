import Testing

struct HistoryTests {
    /// One that keeps every promise.
    private static let good = History(
        sent: ["a", "b", "c"], acknowledged: ["a", "b"],
        logs: [
            "node-0": [
                History.Entry(stream: "x", version: 1, notification: "a"),
                History.Entry(stream: "y", version: 1, notification: "b"),
                History.Entry(stream: "x", version: 2),
            ]
        ],
        shards: [
            7: History.ShardRows(
                head: 2, epoch: 5,
                events: [
                    History.EventRow(sequence: 1, epoch: 3, key: "k"),
                    History.EventRow(sequence: 2, epoch: 4, key: "l"),
                ]),
            8: History.ShardRows(head: 0, epoch: 1),
        ],
        answers: [History.OwnerAnswer(node: "node-0", subscription: "x", atLeast: 1, version: 2)])

    private static func changed(_ change: (inout History) -> Void) -> [Violation] {
        var history = Self.good
        change(&history)
        return history.violations
    }

    @Test func whatKeepsItsPromisesIsNotBlamed() {
        #expect(Self.good.violations.isEmpty)
        // Stored, though its answer was lost.
        let unanswered = Self.changed {
            $0.logs["node-0"]?.append(History.Entry(stream: "y", version: 2, notification: "c"))
        }
        #expect(unanswered.isEmpty)
    }

    @Test func aMissingNotificationIsReported() {
        let found = Self.changed { $0.acknowledged.insert("c") }
        #expect(found == [.missing(notification: "c", node: "node-0")])
    }

    @Test func aNotificationMissingOnOneOfTwoNodesIsReported() {
        let found = Self.changed { $0.logs["node-1"] = [History.Entry(stream: "x", version: 1, notification: "a")] }
        #expect(found == [.missing(notification: "b", node: "node-1")])
    }

    @Test func aNotificationThatIsThereTwiceIsReported() {
        let found = Self.changed {
            $0.logs["node-0"]?.append(History.Entry(stream: "y", version: 2, notification: "b"))
        }
        #expect(found == [.repeated(notification: "b", node: "node-0")])
    }

    @Test func aNotificationThatNobodySentIsReported() {
        let found = Self.changed {
            $0.logs["node-0"]?.append(History.Entry(stream: "y", version: 2, notification: "d"))
        }
        #expect(found == [.neverSent(notification: "d", node: "node-0")])
    }

    @Test(arguments: [[1, 3], [1, 1], [2, 1], [2, 3]])
    func versionsWithAHoleOrInDisorderAreReported(versions: [Int]) {
        let found = Self.changed {
            $0.logs["node-0"]?.append(contentsOf: versions.map { History.Entry(stream: "z", version: $0) })
        }
        #expect(found == [.versions(stream: "z", node: "node-0")])
    }

    @Test func aHoleInAShardIsReported() {
        let found = Self.changed {
            $0.shards[7]?.events[1].sequence = 3
            $0.shards[7]?.head = 3
        }
        #expect(found == [.sequences(shard: 7)])
    }

    @Test func anEpochThatGoesDownIsReported() {
        let found = Self.changed { $0.shards[7]?.events[1].epoch = 2 }
        #expect(found == [.olderEpoch(shard: 7, sequence: 2)])
    }

    @Test func whatAFormerOwnerAppendsIsReported() {
        let found = Self.changed {
            $0.earlier[7] = History.ShardRows(head: 1, epoch: 5)
            $0.shards[7]?.events[1].epoch = 3
        }
        #expect(found == [.lateAppend(shard: 7, sequence: 2)])
        let inTime = Self.changed { $0.earlier[7] = History.ShardRows(head: 2, epoch: 5) }
        #expect(inTime.isEmpty)
    }

    @Test func anEpochThatTheShardHasNotReachedIsReported() {
        let found = Self.changed { $0.shards[7]?.events[1].epoch = 6 }
        #expect(found == [.epochBeyondOwner(shard: 7)])
    }

    @Test func aKeyThatIsThereTwiceIsReported() {
        let found = Self.changed { $0.shards[7]?.events[1].key = "k" }
        #expect(found == [.repeatedKey(shard: 7, key: "k")])
    }

    @Test(arguments: [1, 3])
    func aHeadThatIsNotTheNewestEventIsReported(head: Int) {
        let found = Self.changed { $0.shards[7]?.head = head }
        #expect(found == [.head(shard: 7)])
    }

    @Test(arguments: [1, 0])
    func anOlderAnswerIsReported(version: Int) {
        let answer = History.OwnerAnswer(node: "node-1", subscription: "x", atLeast: 2, version: version)
        #expect(Self.changed { $0.answers.append(answer) } == [.olderAnswer(answer)])
    }

    @Test func whatNobodyTakesIsReported() {
        #expect(Self.changed { $0.refused.append("c") } == [.refused(notification: "c")])
    }

    @Test func whoIsTakenForDeadIsReported() {
        #expect(Self.changed { $0.takenForDead.append("node-0") } == [.takenForDead(node: "node-0")])
    }

    @Test func whatIsParkedIsReported() {
        #expect(Self.changed { $0.parked.append("k") } == [.parked(key: "k")])
    }
}
