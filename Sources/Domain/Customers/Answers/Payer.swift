import Subscriptions

/// Something that is paid for and gives a customer a name of the catalog at a moment.
struct Payer {
    let side: DuplicatePayment.Side
    let payment: Payment
    /// When it stops giving the name unless it is charged again; nil where it does not.
    let end: Moment?
    /// Of a stream: those in whose place it goes on.
    let superseded: [StreamKey]

    /// Whether the two are charged for the same, where both give the same name: of two, one has to be charged again.
    func paysTwice(with other: Payer) -> Bool {
        guard self.payment == .renewing || other.payment == .renewing else { return false }
        switch (self.side.by, other.side.by) {
        case (.stream(let key), .stream(let otherKey)):
            return key.id != otherKey.id && !self.superseded.contains(otherKey) && !other.superseded.contains(key)
        case (.grant(let id), .grant(let otherID)): return id != otherID
        case (.stream, .grant), (.grant, .stream): return true
        }
    }

    /// Of the two the earlier end; nil where neither ends.
    func end(with other: Payer) -> Moment? {
        guard let end, let otherEnd = other.end else { return self.end ?? other.end }
        return min(end, otherEnd)
    }
}

extension CustomerHoldings {
    /// What is paid for in Production and gives `entitlement` at `moment`: streams by their keys, then grants by their ids.
    func payers(of entitlement: String, at moment: Moment) -> [Payer] {
        let streams = self.streams.compactMap { stream -> (key: [UInt8], payer: Payer)? in
            self.payer(stream, of: entitlement, at: moment).map { (stream.key.bytes, $0) }
        }
        let grants = self.grants.filter { grant in
            grant.environment == .production && grant.entitlement == entitlement && grant.renews
                && grant.entitles(at: moment)
        }
        return streams.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.payer)
            + grants.sorted { $0.id < $1.id }.map { grant in
                Payer(side: .init(.grant(id: grant.id)), payment: .renewing, end: grant.end, superseded: [])
            }
    }

    private func payer(_ stream: HeldStream, of entitlement: String, at moment: Moment) -> Payer? {
        guard stream.key.environment == .production, let phase = stream.phase(at: moment), phase.entitled,
            phase.isOwn, let payment = phase.payment, self.granted(by: phase.productID, entitlement) != nil
        else { return nil }
        let end = stream.end(after: moment) { self.granted(by: $0, entitlement) != nil }
        // What its app lets end, or will be taken back, is no payment for good.
        guard payment == .renewing || end == nil else { return nil }
        return Payer(
            side: .init(.stream(stream.key), productID: phase.productID), payment: payment, end: end,
            superseded: stream.superseded)
    }
}
