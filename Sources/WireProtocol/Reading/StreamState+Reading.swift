import Subscriptions

extension StoredState {
    init(_ message: MessageReader, of key: StreamKey) throws(WireError) {
        var message = message
        var (facts, personal): (MessageReader?, MessageReader?)
        var transactions = [TransactionTrace]()
        var renewal: RenewalTrace?
        var status: StatusTrace?
        var logicVersion: Int64 = 0
        var state = StreamState(key: key)
        while let field = try message.nextField() {
            switch field {
            case 1: logicVersion = try message.integer()
            case 2: facts = try message.message(unless: facts != nil)
            case 3: transactions.append(try TransactionTrace(message.message()))
            case 4: renewal = try RenewalTrace(message.message(unless: renewal != nil))
            case 5: status = try StatusTrace(message.message(unless: status != nil))
            case 6: personal = try message.message(unless: personal != nil)
            case 7: state.confirmedDay = try message.integer()
            case 8: state.hasUnrecordedFacts = try message.flag()
            default: try message.skip()
            }
        }
        var identifiers = try StoredPersonalIdentifiers(personal)
        let kept = try Facts(facts, of: key, &identifiers)
        guard transactions.count == kept.transactions.count else {
            throw WireError(.malformed, "a state whose transactions and traces differ in number")
        }
        state.facts.transactions = zip(kept.transactions, transactions).map { info, trace in
            KeptTransaction(info: info, vouched: trace.vouched, longestExpiresDate: trace.longestExpiresDate)
        }
        state.facts.renewal = kept.renewal.map { KeptRenewal(info: $0, vouched: renewal?.vouched) }
        state.facts.status = try kept.status.map { observation throws(WireError) in
            KeptStatus(
                observation: observation,
                transactionID: try status?.transactionID.map { id throws(WireError) in
                    TransactionID(rawValue: try id.spelling)
                },
                expiresDate: status?.expiresDate, revocationDate: status?.revocationDate)
        }
        for id in identifiers.customerIDs { state.customerIDs.append(try id.spelling) }
        self.init(state, logicVersion: Int(logicVersion))
    }
}

/// What is kept beside a transaction.
private struct TransactionTrace {
    var vouched: PeriodEnd?
    var longestExpiresDate: Moment?

    init(_ message: MessageReader) throws(WireError) {
        var message = message
        while let field = try message.nextField() {
            switch field {
            case 1: self.vouched = try PeriodEnd(message.message(unless: self.vouched != nil))
            case 2: self.longestExpiresDate = try message.moment()
            default: try message.skip()
            }
        }
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
    var transactionID: StoredIdentifier?
    var expiresDate: Moment?
    var revocationDate: Moment?

    init(_ message: MessageReader) throws(WireError) {
        var message = message
        while let field = try message.nextField() {
            switch field {
            case 1: self.transactionID = try message.identifier()
            case 2: self.expiresDate = try message.moment()
            case 3: self.revocationDate = try message.moment()
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
