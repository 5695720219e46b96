import EventLog
import ServiceContract
import Shards
import Subscriptions
import Testing
import WireProtocol

/// What crosses between nodes.
@Suite struct WireTests {
    @Test(arguments: [
        SubmissionOutcome.recorded(.init(version: StreamVersion(rawValue: 7), sequence: LogSequence(rawValue: 4_711))),
        .duplicate(.init(version: .zero, sequence: .zero)), .refused(.overloaded, message: "too much"),
    ])
    func outcomesCross(_ outcome: SubmissionOutcome) throws {
        #expect(try SubmissionOutcome(wireBytes: outcome.wireBytes()) == outcome)
    }

    @Test(arguments: [
        (OutcomeMessage.refused(code: "worn-out", message: "wait"), ServiceError.Code.storeUnavailable, "wait"),
        (.unknown, .corrupt, "the owner gave an answer without an outcome"),
    ])
    func whatANewerOwnerSaysIsARefusal(_ said: OutcomeMessage, _ code: ServiceError.Code, _ message: String) throws {
        #expect(try SubmissionOutcome(wireBytes: said.wireBytes()) == .refused(code, message: message))
    }

    @Test func submissionsCross() throws {
        // given
        let key = StreamKey(
            kind: .test, id: "test:com.example.app", environment: .sandbox,
            bundleID: BundleID(rawValue: "com.example.app"))
        let bundle = FactBundle(
            source: .notification, dedupKey: [1, 2, 3], contentDigest: PayloadDigest(repeatElement(9, count: 32)),
            signedDate: Moment(milliseconds: 1_760_000_000_000),
            notification: NotificationIdentity(uuid: "1", type: "TEST"), record: .test)
        let submission = Submission(
            key: key, bundle: bundle, evidence: EncodedEvidence(headers: [[1]], body: [1, 2, 3]))
        // when
        let read = try Submission(wireBytes: submission.wireBytes())
        // then
        #expect(read.key == key)
        #expect(read.bundle == bundle)
        #expect(read.evidence == submission.evidence)
    }

    @Test(arguments: [nil, [1, 2, 3]] as [[UInt8]?])
    func comparisonsCross(_ key: [UInt8]?) throws {
        // given: each number its own
        var progress = ReconciliationProgress()
        progress.calls = 1
        progress.fetched = 2
        progress.recorded = 3
        progress.duplicates = 4
        progress.quarantined = 5
        progress.refused = 6
        progress.checked = 7
        progress.repaired = 8
        let question = ShardComparison(after: key)
        let result = ShardComparisonResult(last: key, progress: progress)
        // then
        #expect(try ShardComparison(wireBytes: question.wireBytes()) == question)
        #expect(try ShardComparisonResult(wireBytes: result.wireBytes()) == result)
    }

    @Test("of an owner's verdicts, what this version cannot read is refused alone")
    func unreadableVerdictsAreRefusedAlone() throws {
        // given
        var answer = ProtoShardVerdicts()
        answer.verdicts = Array(repeating: ProtoShardVerdict(), count: 5)
        (answer.verdicts[0].entitled, answer.verdicts[0].state) = (true, "subscribed")
        answer.verdicts[1].state = "hibernating"
        answer.verdicts[2].reason = "lent"
        answer.verdicts[3].refusal = "worn-out"
        // As older nodes say it.
        answer.verdicts[4].reason = "unknownEntitlement"
        // when
        let read = ShardVerdicts(answer).proto()
        // then
        #expect(
            read.verdicts.map(\.refusal) == [
                "", "invalidRequest", "invalidRequest", "invalidRequest", "unknownEntitlement",
            ])
        #expect(read.verdicts[0].entitled)
        #expect(!read.verdicts.dropFirst().contains { $0.entitled })
    }

    @Test func everyCodeSaysWhetherToTryAgain() {
        for code in ServiceError.Code.allCases {
            let error = ServiceError(code, "")
            #expect((error.retryAfter != nil) == error.retryable)
        }
    }
}
