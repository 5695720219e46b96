import EventLog
import ServiceContract
import Shards
import Subscriptions

/// The work of a `convert` job: puts keyed hashes in the place of look-ups that earlier versions wrote in clear text.
struct Converting: Sendable {
    let store: any EventStore
    let hashing: IdentifierKey
    let clock: ClockWatch

    private static let page = 512
    /// Look-ups a second, so that other work is not delayed.
    private static let convertedPerSecond = 20_000

    func isNeeded() async throws(ServiceError) -> Bool {
        try await ServiceError.translating { try await !self.store.clearLookups(limit: 1).isEmpty }
    }

    /// One page; the job is done behind the last.
    /// - Returns: how long to rest.
    func step(_ job: inout Job) async throws(ServiceError) -> Duration {
        let lookups = try await ServiceError.translating {
            let lookups = try await self.store.clearLookups(limit: Self.page)
            try await self.store.replace(lookups, by: lookups.map(self.hash))
            return lookups
        }
        job.examined += lookups.count
        job.changed += lookups.count
        if lookups.count < Self.page { (job.state, job.ended) = (.done, self.clock.present) }
        return .seconds(1) * lookups.count / Self.convertedPerSecond
    }

    /// nil of a text that leads nowhere: a token that is no UUID.
    private func hash(_ lookup: ClearLookup) -> IdentifierHash? {
        let text = String(decoding: lookup.value, as: UTF8.self)
        switch UInt8(exactly: lookup.kind).flatMap(IdentifierHash.Kind.init) {
        case .customer: return self.hashing.hash(.customer, CustomerID(stored: text).rawValue)
        case .appAccountToken: return AccountToken(text).map { self.hashing.hash(.appAccountToken, $0.rawValue) }
        case .appTransaction: return self.hashing.hash(.appTransaction, text)
        case nil: return nil
        }
    }
}
