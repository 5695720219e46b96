import Subscriptions

extension StreamState {
    /// A `StreamState`.
    func written(logicVersion: Int) -> [UInt8] {
        let facts = Facts(
            transactions: self.facts.periods.map(\.info), renewal: self.facts.renewal?.info,
            status: self.facts.status?.observation)
        var writer = MessageWriter(reservingCapacity: 1_024)
        writer.write(Int64(logicVersion), 1)
        writer.write(facts, of: self.key, 2)
        for period in self.facts.periods {
            writer.message(3) { message in
                if let end = period.vouched { message.message(1) { $0.write(end) } }
                message.write(period.longestExpiresDate, 2)
                for version in period.listedVersions { message.message(3) { $0.write(version) } }
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
                message.write(status.expiresDate, 2)
                message.write(status.revocationDate, 3)
                if let period = status.period {
                    message.write(identifier: period.key, 4)
                    message.write(period.purchaseDate.rawValue, 5)
                }
            }
        }
        let leads = StoredLeads(self.leads, beside: facts.transactions)
        writer.write(leads.personal(owners: facts.owners), 6)
        writer.write(self.confirmedDay, 7)
        writer.write(self.hasUnrecordedFacts, 8)
        if !leads.isEmpty { writer.message(9) { $0.write(leads) } }
        return writer.bytes
    }
}

extension MessageWriter {
    fileprivate mutating func write(_ leads: StoredLeads) {
        self.write(leads.token?.place, 1)
        self.write(leads.token.map { $0.value == nil } ?? false, 2)
        self.write(leads.appTransactionID?.place, 3)
        self.write(leads.predecessor?.place, 4)
        self.write(identifier: leads.predecessor?.value.rawValue, 5)
        self.write(leads.link?.place, 6)
        for successor in leads.successors { self.write(successor: successor, 7) }
    }

    fileprivate mutating func write(_ end: PeriodEnd) {
        self.write(end.signedDate, 1)
        self.write(end.expiresDate, 2)
        self.write(end.revocationDate, 3)
    }

    fileprivate mutating func write(_ version: KeptVersion) {
        self.write(identifier: version.transactionID.rawValue, 1)
        self.write(version.signedDate, 2)
        self.write(withUnsafeBytes(of: version.digestStart.bigEndian) { Array($0) }, 3)
        self.write(version.revocation?.date, 4)
        self.write(version.revocation?.reason?.rawValue, 5)
        let type = self.write(version.revocation?.type, as: ProtoRevocationType.self, 6)
        self.write(version.revocation?.percentage, 7)
        if let vouched = version.vouched {
            self.write(present: vouched.signedDate.rawValue, 8)
            self.write(vouched.isRevoked, 9)
        }
        let others = version.revocationDates.filter { $0 != version.revocation?.date }
        self.write(others.first, 10)
        self.write(others.dropFirst().first, 11)
        self.write(type, 106)
    }
}
