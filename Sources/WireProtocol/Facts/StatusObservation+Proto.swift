import Subscriptions

extension StatusObservation {
    init(_ proto: ProtoStatusObservation) throws(WireError) {
        self.init(
            status: AppleStatus(rawValue: proto.status), asOf: Moment(rawValue: proto.asOf),
            digest: try PayloadDigest(proto: proto.digest))
        if proto.hasUnsigned {
            let purchaseDate = proto.unsigned.hasPurchaseDate ? Moment(rawValue: proto.unsigned.purchaseDate) : nil
            self.unsigned = Unsigned(purchaseDate: purchaseDate)
        }
    }
}
