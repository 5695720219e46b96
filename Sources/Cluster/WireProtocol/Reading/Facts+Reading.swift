import Subscriptions

extension Facts {
    init(_ message: MessageReader?, of key: StreamKey, _ personal: inout StoredPersonalIdentifiers) throws(WireError) {
        self.init()
        guard var message else { return }
        var products = ProductList()
        var (renewal, status): (MessageReader?, MessageReader?)
        while let field = try message.nextField() {
            switch field {
            case 1:
                products.append(try message.text())
            case 2:
                let owner = try personal.nextOwner()
                self.transactions.append(
                    try TransactionInfo(message.message(), of: key, owner: owner, products: products))
            case 3:
                renewal = try message.message(unless: renewal != nil)
            case 4:
                status = try message.message(unless: status != nil)
            default:
                try message.skip()
            }
        }
        // After all transactions: its owner is the one after theirs.
        if let renewal {
            self.renewal = try RenewalInfo(renewal, of: key, owner: personal.nextOwner(), products: products)
        }
        if let status { self.status = try StatusObservation(status) }
    }
}

extension StatusObservation {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var message = message
        var digest: PayloadDigest?
        self.init(status: AppleStatus(rawValue: 0), asOf: Moment(rawValue: 0), digest: .zero)
        while let field = try message.nextField() {
            switch field {
            case 1: self.status = AppleStatus(rawValue: try message.integer())
            case 2: self.asOf = try message.moment()
            case 3: digest = try message.digest()
            case 4: self.unsigned = try Unsigned(message.message(unless: self.unsigned != nil))
            default: try message.skip()
            }
        }
        guard let digest else { throw WireError(.malformed, "a status without its digest") }
        self.digest = digest
    }
}

extension StatusObservation.Unsigned {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var message = message
        self.init(purchaseDate: nil)
        while let field = try message.nextField() {
            if field == 1 { self.purchaseDate = try message.moment() } else { try message.skip() }
        }
    }
}
