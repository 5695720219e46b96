extension StreamState {
    /// Why the answer at `moment` is what it is: the rules in the order they were applied, up to the one that decided.
    /// Empty when there is no answer.
    package func explain(at moment: Moment, rules: DerivationRules) -> [ExplanationStep] {
        guard let derivation = self.derivation(rules) else { return [] }
        let (verdict, view) = derivation.decision(at: moment)
        var steps = [view.explainCurrent(at: moment)]
        if self.key.kind == .subscription {
            steps += [view.explainEnd(at: moment), view.explainStatus(at: moment, verdict)]
        }
        if verdict.isProtected {
            steps.append(
                ExplanationStep(
                    rule: 0,
                    sentence: "A newer fact would end this access, but only a client or the history brought it. "
                        + "It does not count before Apple has been asked."))
        }
        steps.append(view.explain(verdict, at: moment, rules: rules))
        return steps
    }
}

extension FactView {
    fileprivate func explainCurrent(at moment: Moment) -> ExplanationStep {
        guard let current = self.current(at: moment) else {
            return ExplanationStep(rule: 1, sentence: "No transaction is known.")
        }
        let product = current.productID ?? "an unknown product"
        let started = current.rank.purchaseDate <= moment
        return ExplanationStep(
            rule: 1,
            sentence: started
                ? "The current transaction is \(current.transactionID.rawValue) of \(current.rank.purchaseDate), "
                    + "for \(product)."
                : "The earliest transaction known, \(current.transactionID.rawValue) for \(product), starts only "
                    + "\(current.rank.purchaseDate).",
            facts: [.init(current)])
    }

    fileprivate func explainEnd(at moment: Moment) -> ExplanationStep {
        let end = self.end(at: moment)
        if end.isFromRenewal, let renewal = self.renewal {
            return ExplanationStep(
                rule: 2,
                sentence: "Apple says it is active, and its renewal info reaches until \(end.moment), beyond any "
                    + "transaction known.",
                facts: [.renewal(signedDate: renewal.signedDate)])
        }
        guard end.moment > .distantPast else {
            return ExplanationStep(rule: 2, sentence: "Nothing says until when it is paid.")
        }
        return ExplanationStep(rule: 2, sentence: "It is paid until \(end.moment).")
    }

    fileprivate func explainStatus(at moment: Moment, _ verdict: Verdict) -> ExplanationStep {
        guard let observation = self.status?.observation else {
            return ExplanationStep(rule: 3, sentence: "Apple has given no status.")
        }
        let word = observation.status.state.map { "\($0.rawValue)" } ?? "not a status we know"
        let given = "Apple's status as of \(observation.asOf) is \(observation.status.rawValue) (\(word))"
        let reach =
            if self.standingStatus(at: moment) == nil {
                observation.asOf > moment ? "; it is of later." : "; newer facts have replaced it."
            } else if verdict.rule != 3 {
                ", but it does not reach this moment."
            } else if verdict.isLate {
                ", later than the facts reach: it holds for a day, until \(observation.asOf + .lateStatus), and Apple "
                    + "is asked again."
            } else {
                ", and nothing newer is known."
            }
        return ExplanationStep(
            rule: 3, sentence: given + reach, facts: [.status(observation.status, asOf: observation.asOf)])
    }

    fileprivate func explain(_ verdict: Verdict, at moment: Moment, rules: DerivationRules) -> ExplanationStep {
        let renewal = self.renewal.map { [FactReference.renewal(signedDate: $0.signedDate)] } ?? []
        let revoking = self.current(at: moment).flatMap { self.revocation(of: $0) }.map { [FactReference($0)] } ?? []
        let (reason, facts): (String, [FactReference]) =
            switch verdict.rule {
            case 3: ("Apple's word holds", [])
            case 4: ("The current period has been revoked", revoking)
            case 5: ("The paid period is not over", [])
            case 6: ("The renewal failed, and the grace period is not over", renewal)
            case 7: ("The renewal failed, and Apple retries the charge", renewal)
            case 8: ("The paid period is over, and the renewal may still arrive", renewal)
            case 9: ("The paid period is over, and no renewal is to be expected", renewal)
            default:
                verdict.state == .revoked
                    ? ("The purchase has been revoked", revoking) : (self.owning(verdict, at: moment), [])
            }
        return ExplanationStep(rule: verdict.rule, sentence: "\(reason): \(verdict.state.rawValue).", facts: facts)
    }

    private func owning(_ verdict: Verdict, at moment: Moment) -> String {
        if self.current(at: moment)?.isConsumable == true { return "A consumable gives no access" }
        return verdict.entitled ? "The purchase has not been revoked" : "The purchase has run its time, or is not known"
    }
}

extension FactReference {
    fileprivate init(_ transaction: TransactionInfo) {
        self = .transaction(transaction.transactionID, signedDate: transaction.signedDate)
    }
}
