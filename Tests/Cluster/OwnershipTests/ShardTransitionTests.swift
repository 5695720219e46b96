import EventLog
import Ownership
import Testing

/// The transitions of `ShardLifecycle`, from every state by every event that means something there.
@Suite struct ShardTransitionTests {
    private typealias Tests = ShardLifecycleTests

    struct Row: Sendable, CustomTestStringConvertible {
        var from: String
        var event: ShardEvent
        /// Stored, and applied; then what has to be done. nil: the event is not taken.
        var to: String?

        init(_ from: String, _ event: ShardEvent, _ to: String?) {
            (self.from, self.event, self.to) = (from, event, to)
        }

        var testDescription: String { "\(self.from): \(self.event)" }
    }

    private static let five = Epoch(rawValue: 5)
    private static let owned5 = ShardNews.owned(Tests.ownership(5), exclusiveFrom: nil)
    private static let owned6 = ShardNews.owned(Tests.ownership(6), exclusiveFrom: nil)
    private static let rewound6 = ShardNews.owned(Tests.ownership(6, head: 9), exclusiveFrom: nil)
    private static let appended = ShardNews.appended(head: LogSequence(rawValue: 11), under: five)
    private static let frozen = ShardNews.frozen(under: five)
    private static let released = ShardNews.released(under: five)

    private static let letGo =
        "queue refuses (elsewhere) dropping (elsewhere), generation, timer rests, cluster withdraws"
    private static let ended = "queue ends (lost) dropping (lost)"

    /// How each state is reached.
    private static let states: [String: [ShardEvent]] = [
        "never owned": [],
        "owned, not applied": [.stored(owned5)],
        "serving": [.stored(owned5), .applied(owned5)],
        "draining": [.stored(owned5), .applied(owned5), .draining],
        "frozen, not applied": [.stored(owned5), .applied(owned5), .stored(frozen)],
        "frozen": [.stored(owned5), .applied(owned5), .stored(frozen), .applied(frozen)],
        "owned again, not applied": [
            .stored(owned5), .applied(owned5), .stored(frozen), .applied(frozen), .stored(owned6),
        ],
        "released, not applied": [.stored(owned5), .applied(owned5), .stored(released)],
        "released": [.stored(owned5), .applied(owned5), .stored(released), .applied(released)],
        "draining what is not applied": [.stored(owned5), .applied(owned5), .stored(owned6), .draining],
        "owned after a release": [
            .stored(owned5), .applied(owned5), .stored(released), .applied(released), .stored(owned6),
        ],
        "draining and lost": [.stored(owned5), .applied(owned5), .draining, .stored(.lost)],
        "closing before it is owned": [.closing, .stored(owned5)],
        "lost": [.stored(owned5), .applied(owned5), .stored(.lost)],
        "closing": [.stored(owned5), .applied(owned5), .closing],
    ]

    private static let rows: [Row] = [
        Row("never owned", .stored(owned5), "serving 5, absent: tell the writer"),
        Row("never owned", .stored(appended), nil),
        Row("never owned", .stored(frozen), nil),
        Row("never owned", .stored(released), nil),
        Row("never owned", .stored(.lost), "absent, absent: \(ended), timer ends, tell the writer"),
        Row("never owned", .draining, nil),
        Row("never owned", .closing, "absent, absent: queue ends (stopping) holding, timer ends"),

        Row(
            "owned, not applied", .applied(owned5),
            "serving 5, serving 5: queue takes, generation, timer asks the store, cluster serves 5"),
        Row("owned, not applied", .draining, nil),
        Row("owned, not applied", .stored(released), "absent, absent: tell the writer"),

        Row("serving", .stored(appended), "serving 5, serving 5: tell the writer"),
        Row("serving", .applied(appended), "serving 5, serving 5"),
        Row("serving", .stored(frozen), "frozen 5, serving 5: tell the writer"),
        Row("serving", .stored(released), "absent, serving 5: tell the writer"),
        Row("serving", .stored(.frozen(under: Epoch(rawValue: 4))), nil),
        Row("serving", .stored(.released(under: Epoch(rawValue: 4))), nil),
        Row("serving", .stored(.appended(head: LogSequence(rawValue: 11), under: Epoch(rawValue: 4))), nil),
        Row("serving", .stored(owned6), "serving 6, serving 5: tell the writer"),
        Row("serving", .stored(owned5), nil),
        Row("serving", .stored(rewound6), nil),
        Row("serving", .draining, "draining 5, serving 5: queue refuses (leaving) dropping (leaving)"),
        Row("serving", .handedOver(under: five), nil),
        Row("serving", .kept(under: five), nil),
        Row("serving", .waited(until: .zero), nil),
        Row(
            "serving", .stored(.lost),
            "serving 5, serving 5: \(ended), generation, timer ends, cluster withdraws, tell the writer"),
        Row("serving", .closing, "serving 5, serving 5: queue ends (stopping), timer ends"),

        Row("draining", .draining, nil),
        Row("draining", .stored(appended), "draining 5, serving 5: tell the writer"),
        Row(
            "draining", .handedOver(under: five),
            "absent, absent: \(letGo), tell the writer"),
        Row("draining", .handedOver(under: Epoch(rawValue: 4)), nil),
        Row("draining", .kept(under: five), "serving 5, serving 5: queue takes"),
        Row("draining", .kept(under: Epoch(rawValue: 4)), nil),
        Row("draining", .stored(frozen), "frozen 5, serving 5: queue takes, tell the writer"),
        Row("draining", .stored(owned6), "serving 6, serving 5: queue takes, tell the writer"),
        Row("draining", .stored(released), "absent, serving 5: queue takes, tell the writer"),

        Row("frozen, not applied", .stored(frozen), nil),
        Row("frozen, not applied", .applied(frozen), "frozen 5, frozen 5: queue takes holding, generation"),
        Row("frozen, not applied", .draining, nil),
        Row("frozen, not applied", .kept(under: five), nil),
        Row("frozen, not applied", .handedOver(under: five), nil),

        Row("frozen", .stored(owned6), "serving 6, frozen 5: tell the writer"),
        Row("frozen", .stored(released), "absent, frozen 5: tell the writer"),
        Row("frozen", .applied(released), "frozen 5, absent: \(letGo)"),
        Row("frozen", .closing, "frozen 5, frozen 5: queue ends (stopping) holding, timer ends"),

        Row(
            "owned again, not applied", .applied(owned6),
            "serving 6, serving 6: queue takes, generation, timer asks the store, cluster serves 6"),
        Row("owned again, not applied", .stored(appended), nil),

        Row(
            "released, not applied", .applied(released),
            "absent, absent: \(letGo)"),
        Row("released, not applied", .draining, nil),
        Row("released", .stored(owned6), "serving 6, absent: tell the writer"),
        Row("released", .applied(released), nil),

        Row("draining", .applied(appended), "draining 5, serving 5"),
        Row("draining", .closing, "draining 5, serving 5: queue ends (stopping) dropping (leaving), timer ends"),
        Row(
            "draining", .stored(.lost),
            "draining 5, serving 5: \(ended), generation, timer ends, cluster withdraws, tell the writer"),
        Row("draining what is not applied", .handedOver(under: Epoch(rawValue: 6)), nil),
        Row("draining what is not applied", .kept(under: Epoch(rawValue: 6)), "serving 6, serving 5: queue takes"),
        Row("draining and lost", .kept(under: five), "serving 5, serving 5"),

        Row("frozen", .stored(frozen), nil),
        Row("frozen", .stored(appended), "frozen 5, frozen 5: tell the writer"),
        Row("frozen", .draining, nil),
        Row(
            "frozen", .stored(.lost),
            "frozen 5, frozen 5: \(ended), generation, timer ends, cluster withdraws, tell the writer"),
        Row("owned again, not applied", .draining, nil),
        Row("owned again, not applied", .stored(frozen), nil),
        Row("owned again, not applied", .stored(released), nil),
        Row("owned again, not applied", .applied(frozen), nil),
        Row(
            "owned after a release", .applied(owned6),
            "serving 6, serving 6: queue takes, generation, timer asks the store, cluster serves 6"),
        Row("released", .draining, nil),
        Row("released", .closing, "absent, absent: queue ends (stopping) dropping (elsewhere), timer ends"),

        Row(
            "closing before it is owned", .applied(owned5),
            "serving 5, serving 5: queue ends (stopping), generation, cluster serves 5"),

        Row("lost", .stored(.lost), nil),
        Row("lost", .applied(.lost), nil),
        Row("lost", .applied(appended), "serving 5, serving 5"),
        Row("lost", .stored(frozen), "frozen 5, serving 5: tell the writer"),
        Row("lost", .applied(owned6), "serving 5, serving 6"),
        Row("lost", .draining, nil),
        Row("lost", .closing, "serving 5, serving 5: queue ends (stopping) dropping (lost)"),

        Row("closing", .closing, nil),
        Row("closing", .stored(frozen), "frozen 5, serving 5: tell the writer"),
        Row("closing", .applied(frozen), "serving 5, frozen 5: queue ends (stopping) holding, generation"),
        Row(
            "closing", .applied(released),
            "serving 5, absent: queue ends (stopping) dropping (elsewhere), generation, cluster withdraws"),
        Row(
            "closing", .stored(.lost),
            "serving 5, serving 5: queue ends (stopping) dropping (lost), generation, cluster withdraws, tell the writer"
        ),
    ]

    @Test(arguments: rows) func `each event leads where the table says, and asks for what it says`(_ row: Row) throws {
        // given
        var lifecycle = ShardLifecycle()
        for event in try #require(Self.states[row.from]) {
            let isTaken = lifecycle.handle(event) != nil
            #expect(isTaken)
        }
        let before = lifecycle
        // when
        let actions = lifecycle.handle(row.event)
        // then
        #expect(actions.map { Self.summary(lifecycle, $0) } == row.to)
        if actions == nil { #expect(lifecycle == before) }
    }

    private static func summary(_ lifecycle: ShardLifecycle, _ actions: ShardActions) -> String {
        let parts = [
            actions.queue.map(self.summary), actions.isNewGeneration ? "generation" : nil,
            actions.timer.map(self.summary), actions.cluster.map(self.summary),
            actions.writer.map { _ in "tell the writer" },
        ].compactMap(\.self)
        let views = "\(self.summary(lifecycle.stored)), \(self.summary(lifecycle.applied))"
        return parts.isEmpty ? views : "\(views): \(parts.joined(separator: ", "))"
    }

    private static func summary(_ view: ShardLifecycle.View) -> String {
        view.epoch.map { "\(view.phase) \($0.rawValue)" } ?? "absent"
    }

    private static func summary(_ intake: ShardIntake) -> String {
        let verb = intake.isEnding ? "ends" : intake.refusal == nil ? "takes" : "refuses"
        let refusal = intake.refusal.map { " (\($0))" } ?? ""
        return switch intake.waiting {
        case .flowing: "queue \(verb)\(refusal)"
        case .held: "queue \(verb)\(refusal) holding"
        case .refused(let reason): "queue \(verb)\(refusal) dropping (\(reason))"
        }
    }

    private static func summary(_ action: ShardActions.TimerAction) -> String {
        switch action {
        case .askStore: "timer asks the store"
        case .rest: "timer rests"
        case .close: "timer ends"
        }
    }

    private static func summary(_ action: ShardActions.ClusterAction) -> String {
        switch action {
        case .serve(let epoch): "cluster serves \(epoch.rawValue)"
        case .withdraw: "cluster withdraws"
        }
    }
}
