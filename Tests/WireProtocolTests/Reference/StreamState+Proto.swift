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
        var customerIDs = [String]()
        for id in proto.personal.customerIds { try customerIDs.append(id.spelling()) }
        self.init(
            key: key,
            facts: KeptFacts(
                transactions: zip(facts.transactions, proto.transactions).map(KeptTransaction.init),
                renewal: facts.renewal.map { KeptRenewal($0, proto.renewal) },
                status: try facts.status.map { status throws(Refusal) in try KeptStatus(status, proto.status) }),
            customerIDs: customerIDs, confirmedDay: proto.hasConfirmedDay ? proto.confirmedDay : nil,
            hasUnrecordedFacts: proto.hasUnrecordedFacts_p)
    }
}

extension KeptTransaction {
    fileprivate init(_ info: TransactionInfo, _ trace: ProtoStreamState.TransactionTrace) {
        self.init(
            info: info, vouched: trace.hasVouched ? PeriodEnd(trace.vouched) : nil,
            longestExpiresDate: trace.hasLongestExpiresDate ? Moment(rawValue: trace.longestExpiresDate) : nil)
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
            transactionID: trace.hasTransactionID ? TransactionID(rawValue: try trace.transactionID.spelling()) : nil,
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
