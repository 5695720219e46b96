/// Facts without when they were signed: two signings of one content are equal.

extension TransactionInfo {
    var content: TransactionInfo {
        var content = self.bounded
        (content.signedDate, content.digest) = (.distantPast, .zero)
        // Of what earlier versions kept, no price is known: that it comes later is no news.
        content.price = nil
        return content
    }
}

extension RenewalInfo {
    var content: RenewalInfo {
        var content = self.bounded
        (content.signedDate, content.digest) = (.distantPast, .zero)
        return content
    }
}

extension StatusObservation {
    var content: StatusObservation {
        StatusObservation(status: self.status, asOf: .distantPast, digest: .zero, unsigned: self.unsigned)
    }
}
