import Entitlements
import EventLog
import ServiceContract
import Subscriptions

/// What changed rules have changed.
extension BatchDecider {
    /// What was told by earlier rules is told anew before anything is decided by those of now.
    /// - Returns: where that stands; nil when there was nothing to tell.
    mutating func reevaluate(_ command: Command) throws -> SubmissionOutcome.Place? {
        let before = self.entry(of: command)
        guard before.version > .zero,
            let change = self.reevaluator?.reevaluation(
                of: before.told, before.state, at: self.announcedUntil(before), knowsCatalog: before.knowsCatalog)
        else { return nil }
        let version = withUnsafeBytes(of: before.version.rawValue.bigEndian) { Array($0) }
        return try self.append(
            [SubscriptionEvent(source: .rules, changes: [.reevaluated], reevaluation: change)], to: before, command,
            dedupKey: Array("reevaluated".utf8) + version + command.keyBytes,
            announcedUntil: self.announcedUntil(before))
    }

    /// Where nothing had to be told, the row may have to be made anew all the same.
    mutating func decideReevaluation(
        _ mark: RulesMark, _ told: SubmissionOutcome.Place?, of command: Command
    ) throws -> SubmissionOutcome {
        guard let reevaluator, mark == reevaluator.mark else {
            return .refused(
                .otherRules,
                message:
                    "the node that owns the subscription has another configuration or version: give all nodes the same")
        }
        if let told { return .recorded(told) }
        let before = self.entry(of: command)
        if before.version > .zero, reevaluator.isMadeByOthers(before.told) {
            let outlook = Outlook(before.state, rules: self.rules)
            var after = before
            after.nextDue = outlook?.nextTransition(after: self.announcedUntil(before))?.due
            try self.keep(after, before, command, entitlement: self.entitlement(after, outlook))
        }
        return .duplicate(before.place)
    }
}
