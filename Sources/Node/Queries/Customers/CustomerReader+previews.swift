import Customers
import Entitlements
import EventLog
package import ServiceContract
import Shards
package import Subscriptions

/// What changes would come to. Nothing is changed, and the answers are of what is committed.
extension CustomerReader {
    /// Of a link or its removal.
    /// - Throws: `.unknownSubscription`, `.unknownPurchase`.
    package func preview(_ request: LinkRequest, of key: StreamKey) async throws -> ChangePreview {
        guard let before = try await self.holdings.stream(key) else {
            let code = key.kind == .purchase ? ServiceError.Code.unknownPurchase : .unknownSubscription
            throw ServiceError(code, "nothing is known under this id yet")
        }
        let now = self.clock.now
        let links = self.holdings.links
        var needs = links.needs(of: before)
        needs.merge(links.need(of: request.customer))
        let directory = try await self.holdings.directory(needs)
        var customers = links.named(in: before, directory)
        let asking = directory.end(of: links.hash(request.customer)) ?? request.customer
        if !customers.contains(asking) { customers.append(asking) }
        let decision = links.decide(request, before, directory, at: now, rules: self.rules)
        if let refusal = decision.refusal { return ChangePreview(refused: ServiceError(refusal).code) }
        guard !decision.records.isEmpty else { return ChangePreview() }
        var after = before
        var changes: [Change] = []
        for record in decision.records {
            after.apply(SubscriptionEvent(source: .person, changes: [record.change], link: record))
            if !changes.contains(record.change) { changes.append(record.change) }
        }
        let families = try await self.holdings.families(of: customers)
        return self.preview(
            customers, families.with(before, for: customers), families.with(after, for: customers),
            in: key.environment == .production ? [.production] : [key.environment, .production], changes, at: now)
    }

    /// Of a move.
    package func preview(moving source: CustomerID, to wanted: CustomerID) async throws -> ChangePreview {
        let now = self.clock.now
        let record = try await self.holdings.record(of: source)
        let (target, other) = try await self.holdings.end(of: wanted)
        guard target != source else { return ChangePreview(refused: .customerMoved) }
        if let earlier = record.state.movedTo {
            let isDone = try await self.holdings.end(of: earlier).0 == target
            return ChangePreview(refused: isDone ? nil : .customerMoved)
        }
        let (hash, targetHash) = (self.holdings.hash(source), self.holdings.hash(target))
        let take = CustomerRequest.Content.take(
            source, at: record.version.rawValue, record.state.room(at: now), origin: hash.half)
        let decision = CustomerDecision(
            CustomerRequest(target, take), other.state, at: other.version.rawValue, now)
        // Others who are about to move there are waited for.
        if let refusal = decision.refusal, refusal != .customerMoving {
            return ChangePreview(refused: ServiceError(refusal).code)
        }
        let families = try await self.holdings.families(of: [source, target])
        return self.preview(
            [source, target], families, families.with((source, hash), movedTo: (target, targetHash), at: now),
            in: [.production, .sandbox], [.moved], at: now)
    }

    private func preview(
        _ customers: [CustomerID], _ before: CustomerFamilies, _ after: CustomerFamilies,
        in environments: [AppStoreEnvironment], _ changes: [Change], at now: Moment
    ) -> ChangePreview {
        var preview = ChangePreview(changes: changes)
        for customer in customers {
            let held = (self.holdings.held(by: customer, before), self.holdings.held(by: customer, after))
            for environment in environments {
                let (present, would) = (
                    self.counted(held.0, in: environment, at: now), self.counted(held.1, in: environment, at: now)
                )
                let known = preview
                for name in self.catalog.entitlements {
                    preview.add(
                        customer, environment, present.answer(for: name, at: now), would.answer(for: name, at: now))
                }
                guard preview == known else { continue }
                preview.add(
                    customer, environment, present.answer(for: nil, at: now), would.answer(for: nil, at: now))
            }
        }
        return preview
    }
}

extension ChangePreview {
    /// - Parameters: the answers for one name as they are and as they would be.
    fileprivate mutating func add(
        _ customer: CustomerID, _ environment: AppStoreEnvironment, _ before: CustomerAnswer, _ after: CustomerAnswer
    ) {
        let (old, new) = (before.end, after.end)
        let name = before.entitled ? before.entitlement : after.entitlement
        if new > old {
            self.wouldGain.append(Entitlement(customer, name, in: environment, validUntil: after.validUntil))
        } else if new < old {
            self.wouldLose.append(Entitlement(customer, name, in: environment, validUntil: before.validUntil))
        }
    }
}

extension CustomerAnswer {
    /// Until when the customer has the name; the past where it does not.
    fileprivate var end: Moment { self.entitled ? self.validUntil ?? .distantFuture : .distantPast }
}
