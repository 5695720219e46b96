import Subscriptions

extension StreamState {
    init(_ proto: ProtoStreamState, key: StreamKey) throws(WireError) {
        let facts = try Facts(proto.facts, owners: proto.personal.owners, key: key)
        guard proto.transactions.count == facts.transactions.count else {
            throw WireError(.malformed, "a state whose transactions and traces differ in number")
        }
        var customerIDs = [String]()
        for id in proto.personal.customerIds { try customerIDs.append(id.spelling()) }
        self.init(
            key: key,
            facts: KeptFacts(
                transactions: zip(facts.transactions, proto.transactions).map(KeptTransaction.init),
                renewal: facts.renewal.map { KeptRenewal($0, proto.renewal) },
                status: try facts.status.map { status throws(WireError) in try KeptStatus(status, proto.status) }),
            customerIDs: customerIDs, confirmedDay: proto.hasConfirmedDay ? proto.confirmedDay : nil,
            hasUnrecordedFacts: proto.hasUnrecordedFacts_p)
    }

    /// Without the `logic_version`.
    func proto() -> ProtoStreamState {
        let facts = Facts(
            transactions: self.facts.transactions.map(\.info), renewal: self.facts.renewal?.info,
            status: self.facts.status?.observation)
        var proto = ProtoStreamState()
        if !facts.isEmpty { proto.facts = facts.proto(key: self.key) }
        proto.transactions = self.facts.transactions.map { $0.trace }
        if let trace = self.facts.renewal?.trace { proto.renewal = trace }
        if let trace = self.facts.status?.trace { proto.status = trace }
        let personal = ProtoPersonalIdentifiers(owners: facts.owners, customerIDs: self.customerIDs)
        if let personal { proto.personal = personal }
        if let day = self.confirmedDay { proto.confirmedDay = day }
        proto.hasUnrecordedFacts_p = self.hasUnrecordedFacts
        return proto
    }
}

extension KeptTransaction {
    fileprivate init(_ info: TransactionInfo, _ trace: ProtoStreamState.TransactionTrace) {
        self.init(
            info: info, vouched: trace.hasVouched ? PeriodEnd(trace.vouched) : nil,
            longestExpiresDate: trace.hasLongestExpiresDate ? Moment(rawValue: trace.longestExpiresDate) : nil)
    }

    fileprivate var trace: ProtoStreamState.TransactionTrace {
        var trace = ProtoStreamState.TransactionTrace()
        if let end = self.vouched { trace.vouched = end.proto }
        if let date = self.longestExpiresDate { trace.longestExpiresDate = date.rawValue }
        return trace
    }
}

extension KeptRenewal {
    fileprivate init(_ info: RenewalInfo, _ trace: ProtoStreamState.RenewalTrace) {
        self.init(info: info, vouched: nil)
        if trace.hasVouchedSignedDate {
            self.vouched = Vouched(
                signedDate: Moment(rawValue: trace.vouchedSignedDate), endsAccess: trace.vouchedEndsAccess)
        }
    }

    /// nil when there is nothing to say.
    fileprivate var trace: ProtoStreamState.RenewalTrace? {
        guard let vouched = self.vouched else { return nil }
        var trace = ProtoStreamState.RenewalTrace()
        trace.vouchedSignedDate = vouched.signedDate.rawValue
        trace.vouchedEndsAccess = vouched.endsAccess
        return trace
    }
}

extension KeptStatus {
    fileprivate init(_ observation: StatusObservation, _ trace: ProtoStreamState.StatusTrace) throws(WireError) {
        self.init(
            observation: observation,
            transactionID: trace.hasTransactionID ? TransactionID(rawValue: try trace.transactionID.spelling()) : nil,
            expiresDate: trace.hasExpiresDate ? Moment(rawValue: trace.expiresDate) : nil,
            revocationDate: trace.hasRevocationDate ? Moment(rawValue: trace.revocationDate) : nil)
    }

    fileprivate var trace: ProtoStreamState.StatusTrace {
        var trace = ProtoStreamState.StatusTrace()
        if let id = self.transactionID { trace.transactionID = ProtoIdentifier(id.rawValue) }
        if let date = self.expiresDate { trace.expiresDate = date.rawValue }
        if let date = self.revocationDate { trace.revocationDate = date.rawValue }
        return trace
    }
}

extension PeriodEnd {
    fileprivate init(_ proto: ProtoStreamState.PeriodEnd) {
        self.init(
            signedDate: Moment(rawValue: proto.signedDate),
            expiresDate: proto.hasExpiresDate ? Moment(rawValue: proto.expiresDate) : nil,
            revocationDate: proto.hasRevocationDate ? Moment(rawValue: proto.revocationDate) : nil)
    }

    fileprivate var proto: ProtoStreamState.PeriodEnd {
        var proto = ProtoStreamState.PeriodEnd()
        proto.signedDate = self.signedDate.rawValue
        if let date = self.expiresDate { proto.expiresDate = date.rawValue }
        if let date = self.revocationDate { proto.revocationDate = date.rawValue }
        return proto
    }
}
