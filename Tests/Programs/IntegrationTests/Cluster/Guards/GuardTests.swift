import Testing

/// Takes one rule after the other away from nodes, to see that the checks of the chaos tests notice.
@Suite(
    .serialized,
    .enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct GuardTests {
    /// Tries again until the moment of danger has come.
    private static func violations(
        without removed: Guard?, _ live: (GuardedNodes) async throws -> [Violation]
    ) async throws -> [Violation] {
        while true {
            do {
                return try await live(GuardedNodes(without: removed))
            } catch is GuardedNodes.MissedMoment {}
        }
    }

    @Test(.timeLimit(.minutes(25)), arguments: Guard.allCases)
    func whatItKeepsAwayIsNoticedWithoutIt(_ rule: Guard) async throws {
        async let kept = Self.violations(without: nil) { try await $0.live(through: rule) }
        async let found = Self.violations(without: rule) { try await $0.live(through: rule) }
        #expect(try await kept.isEmpty)
        #expect(try await found.contains(where: rule.explains))
    }

    @Test(.timeLimit(.minutes(10)))
    func noAnswerShowsWhatTheOwnersNextOneMayNot() async throws {
        #expect(try await Self.violations(without: nil) { try await $0.askWhileCommitting() }.isEmpty)
    }
}
