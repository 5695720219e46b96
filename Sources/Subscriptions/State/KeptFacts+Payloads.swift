extension KeptFacts {
    /// Bundles that, merged into any state that knows less of the same contents, make it equal to this one.
    var payloads: [(source: EventSource, facts: Facts)] {
        var (vouched, others) = (Facts(), Facts())
        var status: (source: EventSource, facts: Facts)?
        for transaction in self.transactions {
            if let kept = self.status, kept.knew(transaction.info) {
                let facts = Facts(transactions: [transaction.info], status: kept.observation)
                status = (transaction.isVouched ? .statuses : .client, facts)
            } else if transaction.isVouched {
                vouched.transactions.append(transaction.info)
            } else {
                others.transactions.append(transaction.info)
            }
        }
        if let renewal = self.renewal {
            if renewal.isVouched { vouched.renewal = renewal.info } else { others.renewal = renewal.info }
        }
        let rest: [(EventSource, Facts)] = [(.statuses, vouched), (.client, others)].filter { !$0.1.isEmpty }
        return (status.map { [$0] } ?? []) + rest
    }
}
