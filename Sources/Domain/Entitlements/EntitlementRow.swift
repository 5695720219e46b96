package import Subscriptions

/// All that a check needs of one stream, for any moment from `from` on and with no other data: at most 100 bytes
/// encoded in the usual case.
package struct EntitlementRow: Hashable, Sendable {
    /// Of the stream, as of the row.
    package let version: Int64
    /// Ascending by `from`; empty for a stream without facts.
    package let phases: [Phase]

    package struct Phase: Hashable, Sendable {
        package var from: Moment
        package var state: LifecycleState
        package var entitled: Bool
        package var code: CohortCode
        package var productID: String?

        package init(from: Moment, state: LifecycleState, entitled: Bool, code: CohortCode, productID: String?) {
            self.from = from
            self.state = state
            self.entitled = entitled
            self.code = code
            self.productID = productID
        }
    }

    package init(state: StreamState, version: Int64, from: Moment, rules: DerivationRules) {
        self.init(Outlook(state, rules: rules), version: version, from: from)
    }

    /// - Parameter outlook: nil for a stream without facts.
    package init(_ outlook: Outlook?, version: Int64, from: Moment) {
        var phases = [Phase]()
        for phase in outlook?.phases(from: from) ?? [] {
            let snapshot = phase.snapshot
            let next = Phase(
                from: phase.from, state: snapshot.state, entitled: snapshot.entitled, code: CohortCode(snapshot),
                productID: snapshot.productID)
            if phases.last?.answersLike(next) != true { phases.append(next) }
        }
        self.init(version: version, phases: phases)
    }

    /// - Parameter phases: ascending by `from`.
    package init(version: Int64, phases: [Phase]) {
        self.version = version
        self.phases = phases
    }

    /// Whether the row reaches back to `moment`.
    package func answers(at moment: Moment) -> Bool { self.phases.first.map { $0.from <= moment } ?? false }

    /// The answer at `moment`; of a moment before `from`, the answer at `from`.
    package func answer(at moment: Moment) -> CheckAnswer {
        var scan = PhaseScan(at: moment.milliseconds)
        for phase in self.phases { scan.see(from: phase.from.milliseconds, entitled: phase.entitled) }
        guard let index = scan.index else { return .unknown }
        let phase = self.phases[index]
        let end = scan.end.map(Moment.init(milliseconds:))
        return CheckAnswer(
            entitled: phase.entitled, state: phase.state, code: phase.code, validUntil: end, productID: phase.productID)
    }
}

extension EntitlementRow.Phase {
    fileprivate func answersLike(_ other: Self) -> Bool {
        self.state == other.state && self.entitled == other.entitled && self.code == other.code
            && self.productID == other.productID
    }
}
