/// Why Apple has to be asked: the answer rests on something that has not been said yet.
package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// The paid period is over, and the renewal has not been heard of.
    case awaitingRenewal
    /// Access ended because nothing was heard within the leeway, and not by Apple's word.
    case unheard
    /// Part of what the answer rests on is not known, or nobody vouches for it.
    case incomplete
}

extension Outlook {
    /// nil when nothing about the answer at `moment` is doubtful. A purchase is not renewed: it can be incomplete alone.
    package func doubt(at moment: Moment) -> Doubt? {
        let verdict = self.verdict(at: moment)
        if verdict.awaitingRenewal { return .awaitingRenewal }
        if verdict.incomplete { return .incomplete }
        return verdict.rule == 9 && self.mayHaveRenewed(at: moment) ? .unheard : nil
    }

    /// Whether there is no access at `moment` because time has passed: neither Apple's status nor a revocation says so.
    package func hasEndedByTimeAlone(at moment: Moment) -> Bool {
        let verdict = self.verdict(at: moment)
        return self.key.kind == .subscription && !verdict.entitled && ![3, 4].contains(verdict.rule)
    }

    /// The same, where something has ended by time within `time` before `moment`, or at it.
    package func hasEndedByTimeAlone(within time: Milliseconds, before moment: Moment) -> Bool {
        guard self.hasEndedByTimeAlone(at: moment) else { return false }
        var last = moment - time
        while let transition = self.nextTransition(after: last), transition.due <= moment {
            if Change.endingsByTime.contains(transition.name) { return true }
            last = transition.due
        }
        return false
    }
}

extension Change {
    /// What the end of a state is called when time alone brings it.
    package static let endingsByTime: Set<Change> = [.graceExpired, .retryEnded, .expired]
}
