package import Subscriptions
import Synchronization

/// Whose everything sold is, and what else the publisher's customers have: for all to read while they go on living.
///
/// It knows the rules by which a publisher's backend has to be understood where nothing is configured, and no others: what
/// is somebody's stays theirs (`keep`), and an `appAccountToken` is the id of its customer.
package final class CustomerBoard: Sendable {
    private let contents = Mutex(Contents())

    /// What a customer has at a moment.
    package struct Holdings: Hashable, Sendable {
        /// Whose all of it is; nil: theirs.
        package var movedTo: String?
        /// `originalTransactionId`s.
        package var streams: [String] = []
        /// Those that run.
        package var grants: [SimulatedGrant] = []
    }

    fileprivate struct Contents {
        /// In the order in which they became known.
        var ids: [String] = []
        var customers: [String: CustomerTruth] = [:]
        /// By `originalTransactionId`: under which id somebody was said to have it.
        var owners: [String: Timeline<String>] = [:]
    }

    // MARK: The publisher's pen

    /// Something has been said of a customer, who may have nothing.
    func meet(_ customer: String, at moment: Moment) {
        self.contents.withLock { $0.meet(customer, at: moment) }
    }

    /// What was sold is a customer's, whoever had it before: the store says so by a token.
    func give(_ originalTransactionID: String, to customer: String, from moment: Moment) {
        self.contents.withLock { $0.give(originalTransactionID, to: customer, from: moment) }
    }

    /// The same, by somebody's word: not if it is another customer's.
    ///
    /// - Returns: whether it is theirs now.
    func claim(_ originalTransactionID: String, for customer: String, at moment: Moment) -> Bool {
        self.contents.withLock { contents in
            guard let owner = contents.owners[originalTransactionID]?[moment] else {
                contents.give(originalTransactionID, to: customer, from: moment)
                return true
            }
            contents.meet(customer, at: moment)
            return contents.end(of: owner, at: moment) == contents.end(of: customer, at: moment)
        }
    }

    /// All that is one's is the other's from now on.
    func move(_ customer: String, to target: String, at moment: Moment) {
        self.contents.withLock { contents in
            contents.meet(customer, at: moment)
            contents.meet(target, at: moment)
            guard contents.end(of: customer, at: moment) == customer,
                contents.end(of: target, at: moment) != customer
            else { return }
            contents.customers[customer]?.target.set(target, from: moment)
            contents.customers[target]?.sources.append(customer)
        }
    }

    /// Makes a grant, or replaces the one of the same id.
    func set(_ grant: SimulatedGrant, of customer: String, at moment: Moment) {
        self.contents.withLock { contents in
            contents.meet(customer, at: moment)
            contents.customers[customer]?.grants[grant.id, default: Timeline()].set(grant, from: moment)
        }
    }

    // MARK: Questions

    /// nil for somebody of whom nothing is known by then.
    package func holdings(of customer: String, at moment: Moment) -> Holdings? {
        self.contents.withLock { $0.holdings(of: customer, at: moment) }
    }

    /// Ids that became known after another one, with the moment, in that order; nil when that one is not known.
    ///
    /// - Parameter id: nil for the first ones.
    package func customers(
        after id: String?, limit: Int
    ) -> (customers: [(id: String, since: Moment)], isLast: Bool)? {
        self.contents.withLock { contents in
            var start = 0
            if let id {
                guard let place = contents.ids.firstIndex(of: id) else { return nil }
                start = place + 1
            }
            let rest = contents.ids[start...]
            let some = rest.prefix(limit).compactMap { id in contents.customers[id].map { (id, $0.since) } }
            return (some, rest.count <= limit)
        }
    }
}

extension CustomerBoard.Contents {
    fileprivate mutating func meet(_ customer: String, at moment: Moment) {
        guard self.customers[customer] == nil else { return }
        self.ids.append(customer)
        self.customers[customer] = CustomerTruth(since: moment)
    }

    fileprivate mutating func give(_ stream: String, to customer: String, from moment: Moment) {
        self.meet(customer, at: moment)
        self.owners[stream, default: Timeline()].set(customer, from: moment)
        guard self.customers[customer]?.streams.contains(stream) == false else { return }
        self.customers[customer]?.streams.append(stream)
    }

    /// Nobody is moved in a circle, so this ends.
    fileprivate func end(of customer: String, at moment: Moment) -> String {
        var end = customer
        while let next = self.customers[end]?.target[moment] { end = next }
        return end
    }

    fileprivate func holdings(of customer: String, at moment: Moment) -> CustomerBoard.Holdings? {
        guard let known = self.customers[customer], known.since <= moment else { return nil }
        var holdings = CustomerBoard.Holdings()
        let end = self.end(of: customer, at: moment)
        guard end == customer else {
            holdings.movedTo = end
            return holdings
        }
        var names = [customer]
        while let name = names.popLast() {
            guard let part = self.customers[name] else { continue }
            names += part.sources.filter { self.customers[$0]?.target[moment] == name }
            holdings.streams += part.streams.filter { self.owners[$0]?[moment] == name }
            holdings.grants += part.grants.values.compactMap { $0[moment] }
                .filter { $0.from <= moment && moment < $0.until }.sorted { $0.id < $1.id }
        }
        return holdings
    }
}
