import Subscriptions
import WireProtocol

extension Facts {
    init(_ proto: ProtoFacts, owners: [ProtoOwner], key: StreamKey) throws(Refusal) {
        let products = proto.productIds
        self.init()
        self.transactions.reserveCapacity(proto.transactions.count)
        for (place, transaction) in proto.transactions.enumerated() {
            try self.transactions.append(
                TransactionInfo(transaction, owner: owners.owner(at: place), products: products, key: key))
        }
        if proto.hasRenewal {
            self.renewal = try RenewalInfo(
                proto.renewal, owner: owners.owner(at: proto.transactions.count), products: products, key: key)
        }
        if proto.hasStatus { self.status = try StatusObservation(proto.status) }
    }
}

extension StatusObservation {
    fileprivate init(_ proto: ProtoStatusObservation) throws(Refusal) {
        self.init(
            status: AppleStatus(rawValue: proto.status), asOf: Moment(rawValue: proto.asOf),
            digest: try PayloadDigest(proto: proto.digest))
        if proto.hasUnsigned {
            let purchaseDate = proto.unsigned.hasPurchaseDate ? Moment(rawValue: proto.unsigned.purchaseDate) : nil
            self.unsigned = Unsigned(purchaseDate: purchaseDate)
        }
    }
}
