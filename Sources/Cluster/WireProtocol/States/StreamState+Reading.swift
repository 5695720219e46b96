import Subscriptions

extension StoredState {
    init(_ message: MessageReader, of key: StreamKey) throws(WireError) {
        var message = message
        var (facts, personal, leads): (MessageReader?, MessageReader?, MessageReader?)
        var periods = [PeriodTrace]()
        var renewal: RenewalTrace?
        var status: StatusTrace?
        var logicVersion: Int64 = 0
        var state = StreamState(key: key)
        while let field = try message.nextField() {
            switch field {
            case 1: logicVersion = try message.integer()
            case 2: facts = try message.message(unless: facts != nil)
            case 3: periods.append(try PeriodTrace(message.message()))
            case 4: renewal = try RenewalTrace(message.message(unless: renewal != nil))
            case 5: status = try StatusTrace(message.message(unless: status != nil))
            case 6: personal = try message.message(unless: personal != nil)
            case 7: state.confirmedDay = try message.integer()
            case 8: state.hasUnrecordedFacts = try message.flag()
            case 9: leads = try message.message(unless: leads != nil)
            default: try message.skip()
            }
        }
        var identifiers = try StoredPersonalIdentifiers(personal)
        let kept = try Facts(facts, of: key, &identifiers)
        guard periods.count == kept.transactions.count else {
            throw WireError(.malformed, "a state whose transactions and traces differ in number")
        }
        state.facts.periods = zip(kept.transactions, periods).map { info, trace in
            KeptPeriod(
                info: info, vouched: trace.vouched, longestExpiresDate: trace.longestExpiresDate,
                versions: trace.versions.isEmpty ? nil : trace.versions)
        }
        state.facts.renewal = kept.renewal.map { KeptRenewal(info: $0, vouched: renewal?.vouched) }
        state.facts.status = try kept.status.map { observation throws(WireError) in
            KeptStatus(
                observation: observation,
                period: try status?.periodKey.map { key throws(WireError) in
                    PeriodID(purchaseDate: status?.periodPurchaseDate ?? Moment(rawValue: 0), key: try key.spelling)
                },
                expiresDate: status?.expiresDate, revocationDate: status?.revocationDate)
        }
        state.leads = try StoredLeads(leads, identifiers).leads(beside: kept.transactions)
        self.init(state, logicVersion: Int(logicVersion))
    }
}

/// What is kept beside the transaction of a period.
private struct PeriodTrace {
    var vouched: PeriodEnd?
    var longestExpiresDate: Moment?
    /// None in states that were written before copies were told apart.
    var versions: [KeptVersion] = []

    init(_ message: MessageReader) throws(WireError) {
        var message = message
        while let field = try message.nextField() {
            switch field {
            case 1: self.vouched = try PeriodEnd(message.message(unless: self.vouched != nil))
            case 2: self.longestExpiresDate = try message.moment()
            case 3: self.versions.append(try KeptVersion(message.message()))
            default: try message.skip()
            }
        }
    }
}

extension KeptVersion {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var message = message
        var (id, start): (String?, UInt64?)
        var signedDate = Moment(rawValue: 0)
        var (date, vouchedDate): (Moment?, Moment?)
        var (last, earlier): (Moment?, Moment?)
        var (reason, percentage): (Int64?, Int64?)
        var type = StoredWord<ProtoRevocationType>()
        var isRevoked = false
        while let field = try message.nextField() {
            switch field {
            case 1: id = try message.identifier().spelling
            case 2: signedDate = try message.moment()
            case 3: start = try message.digestStart()
            case 4: date = try message.moment()
            case 5: reason = try message.integer()
            case 6: type.number = try message.word()
            case 7: percentage = try message.integer()
            case 8: vouchedDate = try message.moment()
            case 9: isRevoked = try message.flag()
            case 10: last = try message.moment()
            case 11: earlier = try message.moment()
            case 106: type.text = try message.text()
            default: try message.skip()
            }
        }
        guard let id, let start else { throw WireError(.malformed, "a version without its id or digest") }
        let spelling = try type.spelling
        self.init(
            transactionID: TransactionID(rawValue: id), signedDate: signedDate, digestStart: start,
            revocation: date.map { date in
                TransactionInfo.Revocation(
                    date: date, reason: reason.map(RevocationReason.init), type: spelling, percentage: percentage)
            },
            vouched: vouchedDate.map { Vouched(signedDate: $0, isRevoked: isRevoked) },
            revocationDates: Array([date, last, earlier].compactMap(\.self).sorted(by: >).prefix(2)))
    }
}

extension MessageReader {
    fileprivate mutating func digestStart() throws(WireError) -> UInt64 {
        let content = try self.content()
        guard content.count == 8 else { throw WireError(.malformed, "the start of a digest has 8 bytes") }
        return UInt64(bigEndian: content.loadUnaligned(as: UInt64.self))
    }
}

/// What is kept beside the renewal info.
private struct RenewalTrace {
    private var signedDate: Moment?
    private var endsAccess = false

    init(_ message: MessageReader) throws(WireError) {
        var message = message
        while let field = try message.nextField() {
            switch field {
            case 1: self.signedDate = try message.moment()
            case 2: self.endsAccess = try message.flag()
            default: try message.skip()
            }
        }
    }

    var vouched: KeptRenewal.Vouched? {
        self.signedDate.map { KeptRenewal.Vouched(signedDate: $0, endsAccess: self.endsAccess) }
    }
}

/// What is kept beside the status.
private struct StatusTrace {
    var periodKey: StoredIdentifier?
    var periodPurchaseDate = Moment(rawValue: 0)
    var expiresDate: Moment?
    var revocationDate: Moment?

    init(_ message: MessageReader) throws(WireError) {
        var message = message
        while let field = try message.nextField() {
            switch field {
            case 2: self.expiresDate = try message.moment()
            case 3: self.revocationDate = try message.moment()
            case 4: self.periodKey = try message.identifier()
            case 5: self.periodPurchaseDate = try message.moment()
            default: try message.skip()
            }
        }
    }
}

extension PeriodEnd {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var message = message
        self.init(signedDate: Moment(rawValue: 0), expiresDate: nil, revocationDate: nil)
        while let field = try message.nextField() {
            switch field {
            case 1: self.signedDate = try message.moment()
            case 2: self.expiresDate = try message.moment()
            case 3: self.revocationDate = try message.moment()
            default: try message.skip()
            }
        }
    }
}
