import Subscriptions

extension StreamState {
    /// A `StreamState`.
    func written(logicVersion: Int) -> [UInt8] {
        let facts = Facts(
            transactions: self.facts.transactions.map(\.info), renewal: self.facts.renewal?.info,
            status: self.facts.status?.observation)
        var writer = MessageWriter(reservingCapacity: 1_024)
        writer.write(Int64(logicVersion), 1)
        writer.write(facts, of: self.key, 2)
        for transaction in self.facts.transactions {
            writer.message(3) { message in
                if let end = transaction.vouched { message.message(1) { $0.write(end) } }
                message.write(transaction.longestExpiresDate, 2)
            }
        }
        if let vouched = self.facts.renewal?.vouched {
            writer.message(4) { message in
                message.write(present: vouched.signedDate.rawValue, 1)
                message.write(vouched.endsAccess, 2)
            }
        }
        if let status = self.facts.status {
            writer.message(5) { message in
                message.write(identifier: status.transactionID?.rawValue, 1)
                message.write(status.expiresDate, 2)
                message.write(status.revocationDate, 3)
            }
        }
        writer.write(personal: facts.owners, customerIDs: self.customerIDs, rescinded: nil, 6)
        writer.write(self.confirmedDay, 7)
        writer.write(self.hasUnrecordedFacts, 8)
        return writer.bytes
    }
}

extension MessageWriter {
    fileprivate mutating func write(_ end: PeriodEnd) {
        self.write(end.signedDate, 1)
        self.write(end.expiresDate, 2)
        self.write(end.revocationDate, 3)
    }
}
