import EventLog
import Perennial
import ServiceContract
import SubscriptionService
import Testing

@Suite struct RunEndTests {
    private static let deposed = ServiceError(StoreError(.deposed, "other nodes have taken this one for dead"))

    private static let away = StoreError(.unavailable, "as the test says")

    private func end(
        after error: any Error = deposed, _ beginning: RunBeginning = .fresh, age: Duration = .seconds(3_600),
        stop: Bool = false
    ) -> RunEnd {
        RunEnd(after: error, beginning, age: age, isStopWanted: stop)
    }

    @Test("who comes back and cannot reach the database waits for it, however long", arguments: [0, 3_600])
    func waitsForTheDatabase(age: Int) {
        for beginning in [RunBeginning.comeback, .waiting] {
            #expect(self.end(after: Self.away, beginning, age: .seconds(age)) == .waits(RunEnd.retryInterval))
            #expect(self.end(after: Self.away, beginning, age: .seconds(age), stop: true) == .stopped)
        }
    }

    @Test("who is started by hand hears that the database is away, and waits for one that was reached before")
    func tellsWhoStartsIt() {
        #expect(self.end(after: Self.away) == .failed)
        #expect(self.end(after: ServiceError(Self.away)) == .waits(RunEnd.retryInterval))
        #expect(self.end(after: ServiceError(Self.away), stop: true) == .failed)
    }

    @Test("a database that is there and does not do is not waited for", arguments: RunBeginning.allCases)
    func waitsForNothingElse(_ beginning: RunBeginning) {
        for code in [StoreError.Code.incompatible, .corrupt, .full] {
            #expect(self.end(after: StoreError(code, "as the test says"), beginning) == .failed)
        }
    }

    @Test("who was taken for dead after a long life comes back at once")
    func comesBack() {
        #expect(self.end() == .comesBack(after: .zero))
        #expect(self.end(age: RunEnd.shortestInterval) == .comesBack(after: .zero))
    }

    @Test("the sooner a run was taken for dead, the longer it waits, and never longer than a run has to have lived")
    func waits() {
        #expect(self.end(age: .zero) == .comesBack(after: RunEnd.shortestInterval))
        #expect(self.end(age: .seconds(10)) == .comesBack(after: RunEnd.shortestInterval - .seconds(10)))
        #expect(self.end(age: .seconds(29)) == .comesBack(after: RunEnd.shortestInterval - .seconds(29)))
    }

    @Test("who was told to stop does not come back, and has not failed", arguments: [0, 3_600])
    func stops(age: Int) {
        #expect(self.end(age: .seconds(age), stop: true) == .stopped)
    }

    @Test(
        "what another run would find again ends the process, whoever wants it to stop",
        arguments: [
            StoreError.Code.conflict, .fenced, .rewound, .outcomeUnknown, .full, .corrupt, .incompatible,
        ], [false, true])
    func fails(_ code: StoreError.Code, stop: Bool) {
        #expect(self.end(after: ServiceError(StoreError(code, "as the test says")), stop: stop) == .failed)
    }

    @Test("so does what is no error of the service, and what only sounds like this one")
    func failsOtherwise() {
        #expect(self.end(after: CancellationError()) == .failed)
        #expect(self.end(after: ServiceError(.notOwner, "other nodes have taken this one for dead")) == .failed)
    }
}
