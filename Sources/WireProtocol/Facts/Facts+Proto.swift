import Subscriptions

extension Facts {
    init(_ proto: ProtoFacts, owners: [ProtoOwner], key: StreamKey) throws(WireError) {
        let products = ProductList(ids: proto.productIds)
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
