import Testing

/// Takes one rule after the other away from nodes, to see that the checks of the chaos tests notice.
@Suite(
    .serialized,
    .enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct GuardTests {
    private static func violations(in danger: Guard, without removed: Guard?) async throws -> [Violation] {
        try await GuardedNodes(without: removed).live(through: danger)
    }

    @Test(.timeLimit(.minutes(10)), arguments: Guard.allCases)
    func whatItKeepsAwayIsNoticedWithoutIt(_ rule: Guard) async throws {
        async let kept = Self.violations(in: rule, without: nil)
        async let broken = Self.violations(in: rule, without: rule)
        #expect(try await kept.isEmpty)
        #expect(try await broken.contains(where: rule.explains))
    }

    @Test(.timeLimit(.minutes(10)))
    func noAnswerShowsWhatTheOwnersNextOneMayNot() async throws {
        #expect(try await GuardedNodes(without: nil).askWhileCommitting().isEmpty)
    }
}
