import Customers
public import Foundation
import Mirroring
import Subscriptions

/// Answers by the publisher's own ids, where ``Configuration/followsCustomers`` is set.
extension PerennialClient {
    /// Whether a customer may use something now.
    /// - Parameters:
    ///   - customer: the publisher's own id.
    ///   - entitlement: a name of the catalog (`entitlements.catalog`); nil for anything at all.
    ///   - environment: in Production, purchases of Sandbox count as far as the nodes let them (`apps[].sandboxCounts`).
    /// - Throws: `.notReady`, `.invalidCustomer`, `.unknownEntitlement`, `.invalidConfiguration`.
    public func isEntitled(
        customer: String, to entitlement: String?, in environment: Environment = .production
    ) throws(PerennialClientError) -> Bool {
        let mirror = try self.customers()
        let id = try Self.id(of: customer)
        do throws(CustomerMirror.Refusal) {
            return try mirror.isEntitled(
                id, to: entitlement, in: AppStoreEnvironment(environment), at: Moment(Date()))
        } catch {
            throw Self.error(error, entitlement)
        }
    }

    /// The same for several customers, all of one moment.
    /// - Returns: in their order.
    /// - Throws: as `isEntitled(customer:to:in:)` does, whichever customer it is about.
    public func areEntitled(
        customers: [String], to entitlement: String?, in environment: Environment = .production
    ) throws(PerennialClientError) -> [Bool] {
        let mirror = try self.customers()
        var ids: [CustomerID] = []
        ids.reserveCapacity(customers.count)
        for customer in customers { ids.append(try Self.id(of: customer)) }
        var answers: [Bool] = []
        do throws(CustomerMirror.Refusal) {
            try mirror.areEntitled(
                ids, to: entitlement, in: AppStoreEnvironment(environment), at: Moment(Date()), into: &answers)
        } catch {
            throw Self.error(error, entitlement)
        }
        return answers
    }

    /// The same with all that is known of it.
    /// - Parameter moment: now unless given; a later one shows what will be true if nothing more is heard.
    /// - Throws: as `isEntitled(customer:to:in:)` does.
    public func check(
        customer: String, for entitlement: String?, in environment: Environment = .production, at moment: Date = Date()
    ) throws(PerennialClientError) -> CustomerEntitlement {
        let mirror = try self.customers()
        let id = try Self.id(of: customer)
        do throws(CustomerMirror.Refusal) {
            return CustomerEntitlement(
                try mirror.answer(
                    for: id, entitlement, in: AppStoreEnvironment(environment), at: try self.time(moment)))
        } catch {
            throw Self.error(error, entitlement)
        }
    }

    /// What a customer may use, and may not, name by name in the order of the catalog.
    /// - Parameter moment: as above.
    /// - Throws: `.notReady`, `.invalidCustomer`, `.invalidConfiguration`.
    public func entitlements(
        of customer: String, in environment: Environment = .production, at moment: Date = Date()
    ) throws(PerennialClientError) -> [CustomerEntitlement] {
        let mirror = try self.customers()
        let id = try Self.id(of: customer)
        do throws(CustomerMirror.Refusal) {
            return try mirror.answers(for: id, in: AppStoreEnvironment(environment), at: try self.time(moment))
                .map(CustomerEntitlement.init)
        } catch {
            throw Self.error(error, nil)
        }
    }

    /// By what changes name a customer.
    /// - Throws: `.notReady` before a node has been heard of, `.invalidCustomer`, `.invalidConfiguration`.
    public func key(of customer: String) throws(PerennialClientError) -> CustomerKey {
        let mirror = try self.customers()
        let id = try Self.id(of: customer)
        do throws(CustomerMirror.Refusal) { return CustomerKey(hash: try mirror.hash(id)) } catch {
            throw Self.error(error, nil)
        }
    }

    private func customers() throws(PerennialClientError) -> CustomerMirror {
        guard self.configuration.followsCustomers else {
            throw PerennialClientError(
                .invalidConfiguration, "followsCustomers is false: this client does not know customers")
        }
        guard let mirror = self.mirror.memory?.customers else { throw Self.notReady }
        return mirror
    }

    private func time(_ moment: Date) throws(CustomerMirror.Refusal) -> MirrorTime {
        guard let mirror = self.mirror.value else { throw .notReady }
        return mirror.time(Moment(moment), .now)
    }

    private static func id(of customer: String) throws(PerennialClientError) -> CustomerID {
        guard let id = CustomerID(customer) else {
            throw PerennialClientError(
                .invalidCustomer, "the id of a customer has 1 to 128 bytes of UTF-8 and no control characters")
        }
        return id
    }

    private static func error(_ refusal: CustomerMirror.Refusal, _ entitlement: String?) -> PerennialClientError {
        switch refusal {
        case .notReady: self.notReady
        case .unknownEntitlement:
            PerennialClientError(
                .unknownEntitlement, "\(entitlement ?? ""): entitlements.catalog of the nodes has no such name")
        }
    }
}

extension PerennialClient.CustomerEntitlement {
    init(_ answer: MirroredAnswer) {
        self.init(
            isEntitled: answer.entitled, entitlement: answer.entitlement,
            state: answer.state.flatMap { State(rawValue: $0.rawValue) }, productID: answer.productID,
            validUntil: answer.validUntil.map(Date.init), rank: answer.rank,
            environment: answer.environment.flatMap { PerennialClient.Environment(rawValue: $0.rawValue) },
            isIncomplete: answer.isIncomplete, hasMoved: answer.isMoved, isStale: answer.isStale)
    }
}

extension AppStoreEnvironment {
    init(_ environment: PerennialClient.Environment) { self.init(rawValue: environment.rawValue) }
}

extension Moment {
    init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded(.down))) }
}

extension Date {
    fileprivate init(_ moment: Moment) { self.init(timeIntervalSince1970: Double(moment.milliseconds) / 1_000) }
}
