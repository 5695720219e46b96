import Customers
import EventLog
import Queries
package import ServiceContract
import Shards
package import Subscriptions
import WireProtocol

/// Identifiers that customers register: what Apple's payloads carry leads to whoever has.
extension SubscriptionService {
    /// So many a customer may register.
    package static let tokenLimit = 32
    package static let accountLimit = 16

    /// Registers identifiers for a customer, or for the one to whom it has been moved; durable when it returns. Nothing is begun where
    /// one is refused. A repetition does what an earlier request had left undone.
    /// - Parameter between: is done once nothing is refused, and before anything is registered.
    /// - Throws: `.tokenElsewhere` for what is another customer's, unless the policy moves it; `.tooManyIdentifiers`; `.olderNodes`;
    ///   `.customerMoving` while others register the same.
    package func register(
        _ identifiers: [RegistrableIdentifier], for customer: CustomerID, actor: String?,
        between: () async throws(ServiceError) -> Void = { () throws(ServiceError) in }
    ) async throws(ServiceError) {
        guard !identifiers.isEmpty else { return try await between() }
        try await self.require(.registrations)
        try self.refuseDeleted(customer)
        guard !identifiers.contains(where: self.tombstones.isBeingDeleted) else { throw .customerDeleted }
        try await self.checkRoom(for: identifiers, of: customer)
        var standings: [(identifier: RegistrableIdentifier, standing: RegistrationStanding)] = []
        for identifier in identifiers {
            let standing = try await self.standing(of: identifier, for: customer)
            guard self.decision(standing) != .refused else { throw .tokenElsewhere }
            standings.append((identifier, standing))
        }
        try await between()
        // All in one order: of those who want the same ones the first to come gets them.
        let ordered = standings.sorted { $0.standing.key.id < $1.standing.key.id }.map(\.identifier)
        var made: [Made] = []
        do throws(ServiceError) {
            for (place, identifier) in ordered.enumerated() {
                // Nothing follows the last one that could be refused.
                let isLast = place == ordered.count - 1
                if let one = try await self.register(identifier, for: customer, isProvisional: !isLast, actor: actor) {
                    made.append(one)
                }
            }
        } catch {
            // Somebody was faster. What has been said since stays.
            for one in made.reversed() { try? await self.undo(one, actor: actor) }
            throw error
        }
    }

    /// The same of one identifier, whatever the policy only if no customer has it.
    /// - Throws: `.tokenElsewhere` also where the policy would move it.
    func registerIfFree(
        _ identifier: RegistrableIdentifier, for customer: CustomerID, actor: String?
    ) async throws(ServiceError) {
        try await self.require(.registrations)
        guard !self.tombstones.isBeingDeleted(identifier) else { throw .customerDeleted }
        try await self.checkRoom(for: [identifier], of: customer)
        _ = try await self.register(identifier, for: customer, isProvisional: false, onlyIfFree: true, actor: actor)
    }

    /// Takes a registration back; durable when it returns. Nothing happens where the customer does not have it.
    /// - Throws: `.olderNodes`; `.customerMoving` while others register the same.
    package func release(
        _ identifier: RegistrableIdentifier, of customer: CustomerID, actor: String?
    ) async throws(ServiceError) {
        try await self.require(.registrations)
        try self.refuseDeleted(customer)
        try await self.retrying { () throws(ServiceError) in
            let standing = try await self.standing(of: identifier, for: customer)
            // One that may still be taken back could return to the customer: it is made to last.
            guard standing.isTheirs || standing.isProvisional else { return }
            try await self.submit(
                Registration(
                    standing.isTheirs ? .released : .registered, of: identifier.text, standing.holder, actor: actor),
                standing.key, at: standing.version)
        }
    }

    /// With `customers.tokens: registered` a link registers the token of its stream, unless a customer has registered it or there is no room;
    /// unlinking releases it, unless another purchase of the customer with the token was linked too. A repetition of the link does what was left undone. Before
    /// feature level 8 nothing happens: older nodes would forget that a link has done it.
    func followLink(of key: StreamKey, _ request: LinkRequest) async throws(ServiceError) {
        guard self.customers.holdings.registersByLink(key.bundleID), try await self.has(.erasure) else { return }
        try await self.retrying { () throws(ServiceError) in
            guard let found = try await ServiceError.translating({ try await self.customers.holdings.tokenOfLink(key) })
            else { return }
            let identifier = RegistrableIdentifier.token(found.token)
            let standing = try await self.standing(of: identifier, for: found.customer ?? request.customer)
            if let customer = found.customer, standing.holder == nil {
                do throws(ServiceError) { try await self.checkRoom(for: [identifier], of: customer) } catch {
                    guard error.code == .tooManyIdentifiers else { throw error }
                    return
                }
                try await self.submit(
                    Registration(
                        .registered, of: identifier.text, standing.customer, isByLink: true, actor: request.actor),
                    standing.key, at: standing.version)
            } else if found.customer == nil, standing.isTheirs, standing.isByLink {
                var registration = Registration(
                    .released, of: identifier.text, standing.holder, isByLink: true, actor: request.actor)
                if request.action == .link {
                    // The purchase is theirs by the token alone, which has to stay theirs then.
                    (registration.action, registration.isByLink) = (.registered, false)
                } else if try await self.restsOnLinks(found.token, of: standing.customer) {
                    return
                }
                try await self.submit(registration, standing.key, at: standing.version)
            }
        }
    }

    private func restsOnLinks(_ token: AccountToken, of customer: CustomerID) async throws(ServiceError) -> Bool {
        try await ServiceError.translating { try await self.customers.holdings.hasLink(with: token, customer) }
    }

    private struct Made {
        var identifier: RegistrableIdentifier
        var before: RegistrationStanding
    }

    /// - Returns: nil where the customer has it already.
    private func register(
        _ identifier: RegistrableIdentifier, for customer: CustomerID, isProvisional: Bool, onlyIfFree: Bool = false,
        actor: String?
    ) async throws(ServiceError) -> Made? {
        try await self.retrying { () throws(ServiceError) -> Made? in
            let standing = try await self.standing(of: identifier, for: customer)
            if onlyIfFree, standing.holder != nil, !standing.isTheirs { throw .tokenElsewhere }
            let decision = self.decision(standing)
            switch decision {
            case .fulfilled: return nil
            case .refused: throw .tokenElsewhere
            case .registers, .confirms:
                try await self.submit(
                    Registration(
                        .registered, of: identifier.text, standing.customer,
                        isProvisional: isProvisional && decision == .registers, actor: actor),
                    standing.key, at: standing.version)
                return decision == .registers ? Made(identifier: identifier, before: standing) : nil
            }
        }
    }

    private func undo(_ made: Made, actor: String?) async throws(ServiceError) {
        let registration = Registration(
            made.before.holder == nil ? .released : .registered, of: made.identifier.text,
            made.before.holder ?? made.before.customer, actor: actor)
        try await self.submit(
            registration, made.before.key, at: StreamVersion(rawValue: made.before.version.rawValue + 1))
    }

    /// Others may have changed the identifier's stream since it was read: then it is read again.
    private func retrying<Value>(
        _ body: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        for attempt in 1...Self.attempts {
            do throws(ServiceError) { return try await body() } catch {
                guard error.code == .customerMoving, attempt < Self.attempts else { throw error }
            }
        }
        throw ServiceError(CustomerRefusal.customerMoving)
    }

    static let attempts = 8

    func submit(
        _ registration: Registration, _ key: StreamKey, at version: StreamVersion
    ) async throws(ServiceError) {
        var bundle = self.bundleOfRequest
        bundle.registration = RegistrationRequest(registration, at: version.rawValue)
        _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
        guard registration.action == .registered,
            let identifier = registration.identifier.flatMap({ RegistrableIdentifier(key.kind, $0) })
        else { return }
        // What a deleted customer had registered is somebody's again.
        try await ServiceError.translating { try await self.tombstones.lift([identifier], at: self.now) }
    }

    private func standing(
        of identifier: RegistrableIdentifier, for customer: CustomerID
    ) async throws(ServiceError) -> RegistrationStanding {
        try await ServiceError.translating {
            try await self.customers.holdings.standing(of: identifier, for: customer, at: self.now)
        }
    }

    private func decision(_ standing: RegistrationStanding) -> RegistrationDecision {
        self.customers.holdings.decide(standing)
    }

    func checkRoom(
        for identifiers: [RegistrableIdentifier], of customer: CustomerID
    ) async throws(ServiceError) {
        let end = try await self.end(of: customer)
        let known = Set(
            try await ServiceError.translating { try await self.customers.holdings.identifiers(registeredBy: end) })
        let more = identifiers.filter { !known.contains($0) }
        func limit(of kind: IdentifierHash.Kind) -> Int {
            kind == .appAccountToken ? Self.tokenLimit : Self.accountLimit
        }
        for kind in Set(more.map(\.kind)) {
            guard known.union(more).count(where: { $0.kind == kind }) <= limit(of: kind) else {
                throw ServiceError(
                    .tooManyIdentifiers,
                    "a customer registers \(Self.tokenLimit) tokens and \(Self.accountLimit) app transactions at most: take one "
                        + "back first")
            }
        }
    }
}

extension ServiceError {
    fileprivate static let tokenElsewhere = ServiceError(
        .tokenElsewhere,
        "the identifier is another customer's, and customers.transfer does not let this request move it")
}
