package import Customers
package import EventLog
import Shards
package import Subscriptions

/// What a registration of an identifier is decided by, as it was at one version of the identifier's own stream.
package struct RegistrationStanding: Sendable {
    /// Of the identifier's own stream.
    package let key: StreamKey
    package let version: StreamVersion
    /// The customer that asks, or the one to whom it has been moved.
    package let customer: CustomerID
    /// As the row names it.
    package let holder: CustomerID?
    /// The request that has registered it may still take that back.
    package let isProvisional: Bool
    /// A link has registered it, and no request has since.
    package let isByLink: Bool
    /// The customer to whom `holder` leads.
    fileprivate let registered: CustomerID?
    /// The customer whose id the token is, where a stream that carries it leads there for that.
    fileprivate let carried: IdentifierHash?
    /// A stream that leads by it is entitled, or in billing retry.
    fileprivate let isActive: Bool

    /// It leads to the customer because somebody has registered it.
    package var isTheirs: Bool { self.registered == self.customer }
}

extension HoldingsReader {
    package func standing(
        of identifier: RegistrableIdentifier, for customer: CustomerID, at moment: Moment
    ) async throws -> RegistrationStanding {
        let hash = self.hashing.hash(identifier)
        let key = StreamKey(identifier.kind, hash)
        // The row is read first and once: a decision counts while the row stays at this version.
        let row = try await self.load([key.bytes]).0.publisher[key.bytes]
        let (state, version) = (row?.kept.identifier ?? RegisteredIdentifier(), row?.version ?? .zero)
        let carriers = try await self.store.streams(for: [self.hashing.sought(identifier)])[0].filter {
            StreamKey(bytes: $0)?.kind.givesAccess ?? false
        }
        let streams = try await self.load(Set(carriers)).0.streams.values
        // One reading resolves the customer and the holder: between two of them one could have been moved.
        let needs = [customer, state.holder].compactMap(\.self).reduce(into: CustomerDirectory.Needs()) { needs, one in
            needs.merge(self.links.need(of: one))
        }
        let directory = try await self.directory(
            streams.reduce(into: needs) { needs, state in
                needs.merge(self.links.needs(of: state))
            })
        var carried: IdentifierHash?
        var isActive = false
        for state in streams {
            guard LeadImage(state.leads, hash: self.hashing.hash).identifiers.contains(where: { $0.1 == hash }),
                let holder = self.links.resolution(of: state, directory).holder, holder.reason != .link,
                !holder.isInherited
            else { continue }
            carried = holder.customer
            let all = [state] + directory.successors(of: state).filter { self.links.inherits($0, directory) }
            isActive = isActive || all.contains { $0.isActive(at: moment, rules: self.rules) }
        }
        func end(of customer: CustomerID) -> CustomerID { directory.end(of: self.hash(customer)) ?? customer }
        return RegistrationStanding(
            key: key, version: version, customer: end(of: customer), holder: state.holder,
            isProvisional: state.isProvisional, isByLink: state.isByLink, registered: state.holder.map(end),
            carried: carried,
            isActive: isActive)
    }

    /// What a registration comes to.
    package func decide(_ standing: RegistrationStanding) -> RegistrationDecision {
        RegistrationDecision(
            by: self.hash(standing.customer), registered: standing.registered.map(self.hash),
            carried: standing.carried, isProvisional: standing.isProvisional || standing.isByLink,
            isActive: standing.isActive,
            policy: self.links.transferOfIdentifiers)
    }

    /// Whether links register the tokens of their streams (`customers.tokens: registered`).
    package func registersByLink(_ app: BundleID) -> Bool { self.links.tokens(of: app) == .registered }

    /// The token of a stream, and the customer who has the stream by a link; nil of a stream without a token.
    package func tokenOfLink(_ key: StreamKey) async throws -> (token: AccountToken, customer: CustomerID?)? {
        guard let state = try await self.stream(key), let token = state.leads.token?.value else { return nil }
        let directory = try await self.directory(self.links.needs(of: state))
        return (token, self.isLinked(state, directory) ? state.leads.link?.customer : nil)
    }

    /// Whether a customer has a stream by a link that carries the token.
    package func hasLink(with token: AccountToken, _ customer: CustomerID) async throws -> Bool {
        let carriers = try await self.store.streams(for: [self.hashing.sought(token)])[0]
        let states = try await self.load(Set(carriers)).0.streams.values.filter { $0.leads.token?.value == token }
        let directory = try await self.directory(
            states.reduce(into: CustomerDirectory.Needs()) { needs, state in needs.merge(self.links.needs(of: state)) })
        return states.contains { state in
            self.isLinked(state, directory)
                && self.links.resolution(of: state, directory).holder?.customer == self.hash(customer)
        }
    }

    private func isLinked(_ state: StreamState, _ directory: CustomerDirectory) -> Bool {
        let holder = self.links.resolution(of: state, directory).holder
        return holder.map { $0.reason == .link && !$0.isInherited } ?? false
    }

    /// What a customer, who has not been moved, has registered.
    package func identifiers(registeredBy customer: CustomerID) async throws -> [RegistrableIdentifier] {
        try await self.held(by: [customer]).0[0].identifiers
    }

    /// The customer to whom an identifier leads because somebody has registered it.
    package func holder(of identifier: RegistrableIdentifier) async throws -> CustomerID? {
        let hash = self.hashing.hash(identifier)
        return try await self.directory(CustomerDirectory.Needs([StreamKey(identifier.kind, hash): hash])).end(of: hash)
    }
}
