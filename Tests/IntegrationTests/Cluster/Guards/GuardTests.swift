import Testing

/// Takes one rule after the other away from nodes, to see that the checks of the chaos tests notice.
@Suite(
    .serialized,
    .enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct GuardTests {
    private static func violations(in danger: Guard, without removed: Guard?) async throws -> [Violation] {
        try await GuardedNodes(without: removed).live(through: danger)
    }

    /// A machine that is busy with other things may miss the moment of danger once.
    private static func isNoticed(_ rule: Guard) async throws -> Bool {
        for _ in 0..<3 {
            if try await self.violations(in: rule, without: rule).contains(where: rule.explains) { return true }
        }
        return false
    }

    @Test(.timeLimit(.minutes(10)), arguments: Guard.allCases)
    func whatItKeepsAwayIsNoticedWithoutIt(_ rule: Guard) async throws {
        async let kept = Self.violations(in: rule, without: nil)
        async let isNoticed = Self.isNoticed(rule)
        #expect(try await kept.isEmpty)
        #expect(try await isNoticed)
    }

    @Test(.timeLimit(.minutes(10)))
    func noAnswerShowsWhatTheOwnersNextOneMayNot() async throws {
        #expect(try await GuardedNodes(without: nil).askWhileCommitting().isEmpty)
    }
}
