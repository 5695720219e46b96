import Subscriptions

/// What the publisher has the store do by its API.
extension Population {
    /// Carries out what the publisher has asked for: between two turns.
    mutating func carryOut(_ order: StoreOrder, at moment: Moment) -> (Development, StoreOrder.Outcome) {
        var development = Development(moment: moment)
        switch order {
        case .test:
            let test = StoreNotification.test(at: moment, random: &self.orderRandom)
            development.notifications = [test]
            return (development, .testing(uuid: test.uuid, signedDate: moment))
        case .extend(let id, let days):
            guard let index = self.customer(of: id) else {
                return (development, .refused(.originalTransactionIDNotFound))
            }
            switch self.customers[index].extend(id, days: days, at: moment) {
            case .refused(let error): return (development, .refused(error))
            case .done(let told, let transaction):
                self.plan(index)
                (development.notifications, development.books) = (told, self.customers[index].books)
                return (
                    development,
                    .extended(
                        webOrderLineItemID: transaction.webOrderLineItemID,
                        effectiveDate: transaction.expiresDate ?? moment)
                )
            }
        case .extendEverybody(let wanted):
            return (self.extendEverybody(wanted, at: moment), .extending)
        case .setAppAccountToken(let token, let id):
            guard let index = self.customer(of: id) else { return (development, .refused(.transactionIDNotFound)) }
            if let error = self.customers[index].set(appAccountToken: token, of: id) {
                return (development, .refused(error))
            }
            development.books = self.customers[index].books
            return (development, .tokenSet)
        }
    }

    private func customer(of originalTransactionID: String) -> Int? {
        TransactionNumbers.account(ofTransaction: originalTransactionID)
            .map { TransactionNumbers.customer(ofAccount: $0) }
            .flatMap { self.customers.indices.contains($0) ? $0 : nil }
    }

    private mutating func extendEverybody(_ wanted: StoreOrder.MassExtension, at moment: Moment) -> Development {
        var development = Development(moment: moment)
        guard let product = self.scenario.product(wanted.productID),
            self.extended.insert(wanted.requestIdentifier).inserted
        else { return development }
        var (succeeded, failed): (Int64, Int64) = (0, 0)
        for index in self.customers.indices {
            guard
                let (told, isExtended) = self.customers[index].extend(
                    product, days: wanted.days, storefronts: wanted.storefronts, at: moment)
            else { continue }
            self.plan(index)
            (succeeded, failed) = isExtended ? (succeeded + 1, failed) : (succeeded, failed + 1)
            development.notifications += told
            development.books += self.customers[index].books
        }
        let summary = StoreNotification.ExtensionSummary(
            requestIdentifier: wanted.requestIdentifier, productID: wanted.productID, storefronts: wanted.storefronts,
            succeeded: succeeded, failed: failed)
        let told = StoreNotification.extensionSummary(summary, at: moment, random: &self.orderRandom)
        development.notifications.append(told)
        development.massExtension = MassExtensionReport(summary: summary, completeDate: told.signedDate)
        return development
    }
}
