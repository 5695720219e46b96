import Subscriptions
import WireProtocol

/// What `StoredState(protoBytes:key:)` is held to.
struct ReferenceState {
    let state: StreamState
    let logicVersion: Int

    init(bytes: [UInt8], key: StreamKey) throws(Refusal) {
        let proto = try ProtoStreamState(reference: bytes)
        self.state = try StreamState(proto, key: key)
        self.logicVersion = Int(proto.logicVersion)
    }
}

extension StreamState {
    fileprivate init(_ proto: ProtoStreamState, key: StreamKey) throws(Refusal) {
        let facts = try Facts(proto.facts, owners: proto.personal.owners, key: key)
        guard proto.transactions.count == facts.transactions.count else {
            throw Refusal(.malformed, "a state whose transactions and traces differ in number")
        }
        self.init(
            key: key,
            facts: KeptFacts(
                periods: try zip(facts.transactions, proto.transactions).map { info, trace throws(Refusal) in
                    try KeptPeriod(info, trace)
                },
                renewal: facts.renewal.map { KeptRenewal($0, proto.renewal) },
                status: try facts.status.map { status throws(Refusal) in try KeptStatus(status, proto.status) }),
            leads: try StreamLeads(proto, facts.transactions),
            confirmedDay: proto.hasConfirmedDay ? proto.confirmedDay : nil,
            hasUnrecordedFacts: proto.hasUnrecordedFacts_p)
    }
}

extension StreamLeads {
    fileprivate init(_ proto: ProtoStreamState, _ transactions: [TransactionInfo]) throws(Refusal) {
        self.init(transactions)
        let (leads, personal) = (proto.leads, proto.personal)
        if leads.hasToken {
            let text = personal.hasAppAccountToken ? try personal.appAccountToken.spelling() : nil
            self.token = Placed(text.flatMap { AccountToken($0) }, at: FactPlace(leads.token))
        }
        if leads.hasAppTransaction, personal.hasAppTransactionID {
            self.appTransactionID = Placed(
                try personal.appTransactionID.spelling(), at: FactPlace(leads.appTransaction))
        }
        if leads.hasPredecessor, leads.hasPredecessorID {
            let id = OriginalTransactionID(rawValue: try leads.predecessorID.spelling())
            self.predecessor = Placed(id, at: FactPlace(leads.predecessor))
        }
        self.successors = try leads.successors.map { successor throws(Refusal) in try Placed(successor) }
        if leads.hasLink {
            self.link = CustomerLink(
                customer: personal.hasLinkedCustomerID
                    ? CustomerID(stored: try personal.linkedCustomerID.spelling()) : nil,
                token: personal.hasLinkToken ? AccountToken(try personal.linkToken.spelling()) : nil,
                place: FactPlace(leads.link))
        }
        for id in personal.sharingCustomerIds { self.sharers.append(CustomerID(stored: try id.spelling())) }
        for id in personal.conflictingCustomerIds { self.conflicts.append(CustomerID(stored: try id.spelling())) }
    }
}

extension KeptPeriod {
    fileprivate init(_ info: TransactionInfo, _ trace: ProtoStreamState.TransactionTrace) throws(Refusal) {
        let versions = try trace.versions.map { version throws(Refusal) in try KeptVersion(version) }
        self.init(
            info: info, vouched: trace.hasVouched ? PeriodEnd(trace.vouched) : nil,
            longestExpiresDate: trace.hasLongestExpiresDate ? Moment(rawValue: trace.longestExpiresDate) : nil,
            versions: versions.isEmpty ? nil : versions)
    }
}

extension KeptVersion {
    fileprivate init(_ proto: ProtoStreamState.Version) throws(Refusal) {
        guard proto.hasTransactionID, proto.digestStart.count == 8 else {
            throw Refusal(.malformed, "a version without its id or digest")
        }
        let id = TransactionID(rawValue: try proto.transactionID.spelling())
        let type = try proto.revocationType.text(orOther: proto.revocationTypeText)
        let date = proto.hasRevocationDate ? Moment(rawValue: proto.revocationDate) : nil
        let dates =
            (proto.hasRevocationDate ? [proto.revocationDate] : [])
            + (proto.hasLastRevocationDate ? [proto.lastRevocationDate] : [])
            + (proto.hasEarlierRevocationDate ? [proto.earlierRevocationDate] : [])
        self.init(
            transactionID: id, signedDate: Moment(rawValue: proto.signedDate),
            digestStart: proto.digestStart.reduce(0) { $0 << 8 | UInt64($1) },
            revocation: date.map { date in
                TransactionInfo.Revocation(
                    date: date,
                    reason: proto.hasRevocationReason ? RevocationReason(rawValue: proto.revocationReason) : nil,
                    type: type, percentage: proto.hasRevocationPercentage ? proto.revocationPercentage : nil)
            },
            vouched: proto.hasVouchedSignedDate
                ? Vouched(
                    signedDate: Moment(rawValue: proto.vouchedSignedDate), isRevoked: proto.vouchedIsRevoked) : nil,
            revocationDates: dates.sorted(by: >).prefix(2).map { Moment(rawValue: $0) })
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
}

extension KeptStatus {
    fileprivate init(_ observation: StatusObservation, _ trace: ProtoStreamState.StatusTrace) throws(Refusal) {
        self.init(
            observation: observation,
            period: trace.hasPeriodKey
                ? PeriodID(
                    purchaseDate: Moment(rawValue: trace.periodPurchaseDate), key: try trace.periodKey.spelling())
                : nil,
            expiresDate: trace.hasExpiresDate ? Moment(rawValue: trace.expiresDate) : nil,
            revocationDate: trace.hasRevocationDate ? Moment(rawValue: trace.revocationDate) : nil)
    }
}

extension PeriodEnd {
    fileprivate init(_ proto: ProtoStreamState.PeriodEnd) {
        self.init(
            signedDate: Moment(rawValue: proto.signedDate),
            expiresDate: proto.hasExpiresDate ? Moment(rawValue: proto.expiresDate) : nil,
            revocationDate: proto.hasRevocationDate ? Moment(rawValue: proto.revocationDate) : nil)
    }
}
