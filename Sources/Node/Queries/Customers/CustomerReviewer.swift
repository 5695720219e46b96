import Customers
import Entitlements
import EventLog
package import Logging
import ServiceContract
package import Shards
import Subscriptions
import WireProtocol

/// Tells customers where the answers about them are other ones than they were told: each is told in its own stream, whose owner decides
/// by its version, so that of several who find something out at once one says it, and the others look again.
package struct CustomerReviewer: CustomerReviewing {
    /// Nobody is told to whom more streams lead: an app that gives all its users one token would have all of them read at each purchase.
    private static let streamLimit = 2_048

    private let reader: CustomerReader
    private let rulebook: Rulebook
    private let router: ShardRouter
    private let logger: Logger

    package init(_ reader: CustomerReader, _ rulebook: Rulebook, router: ShardRouter, logger: Logger) {
        self.reader = reader
        self.rulebook = rulebook
        self.router = router
        self.logger = logger
    }

    private var holdings: HoldingsReader { self.reader.holdings }

    package func review(_ requests: [ReviewRequest]) async -> [ReviewOutcome] {
        guard !requests.isEmpty else { return [] }
        // While nodes change their catalog, one who has the older one would take back what the others have told.
        guard self.rulebook.reevaluator?.isNewest ?? true else {
            let error = ServiceError(.otherRules, "another node has a newer catalog: give all nodes the same")
            return requests.map { _ in .failed(error) }
        }
        do throws(ServiceError) {
            let concerns = try await ServiceError.translating { try await self.holdings.concerns(of: requests) }
            let submissions = try await self.submissions(requests, concerns)
            let ends = await self.send(submissions)
            return concerns.map { concern in
                let ended =
                    concern.customers.compactMap { ends[.customer($0)] }
                    + [ends[.stream(concern.key)]].compactMap(\.self)
                return ended.first { if case .failed = $0 { true } else { false } } ?? ended.first ?? .done
            }
        } catch {
            // What cannot be read is the trouble of one of them.
            guard requests.count > 1, error.code == .corrupt else { return requests.map { _ in .failed(error) } }
            var outcomes: [ReviewOutcome] = []
            for request in requests { outcomes += await self.review([request]) }
            return outcomes
        }
    }

    /// What a submission is about.
    private enum Subject: Hashable {
        case customer(CustomerID)
        case stream(StreamKey)
    }

    /// What has to be said, and to whom.
    private func submissions(
        _ requests: [ReviewRequest], _ concerns: [Concern]
    ) async throws(ServiceError) -> [(Subject, Submission)] {
        var reasons: [CustomerID: ReviewRequest] = [:]
        for (request, concern) in zip(requests, concerns) {
            for customer in concern.customers where reasons[customer] == nil { reasons[customer] = request }
        }
        let customers = Array(reasons.keys)
        let successions = zip(requests, concerns).flatMap { request, concern in
            concern.successions.map { (Subject.stream(concern.key), $0.submission(by: request.source)) }
        }
        let tellings = try await ServiceError.translating {
            // First: who has changed since is not told of what is read now.
            let records = try await self.holdings.records(of: customers)
            let families = try await self.holdings.families(of: customers, atMost: Self.streamLimit)
            if !families.omitted.isEmpty {
                self.logger.warning(
                    "More than \(Self.streamLimit) purchases lead to one customer: it is not told of changes")
            }
            return zip(customers, records).compactMap { customer, record in
                self.telling(customer, record, families, because: reasons[customer])
            }
        }
        return successions + tellings
    }

    /// nil where there is nothing to tell.
    private func telling(
        _ customer: CustomerID, _ record: HoldingsReader.Record, _ families: CustomerFamilies,
        because request: ReviewRequest?
    ) -> (Subject, Submission)? {
        guard families.omitted.isDisjoint(with: families.members(of: customer)), let request else { return nil }
        let now = self.router.watch.present
        let held = self.holdings.held(by: customer, families)
        let production = self.reader.counted(held, in: .production, at: now)
        let review = EntitlementReview(record.state.told, self.rulebook.catalog, at: now) { environment in
            environment == .production ? production : self.reader.counted(held, in: environment, at: now)
        }
        var telling = CustomerTelling(
            Array(review.changes.prefix(CustomerTelling.limit)), at: record.version.rawValue, due: record.due,
            next: review.next, isBaseline: request.isBaseline && record.state.told.isEmpty)
        if self.rulebook.level >= .duplicatePayments {
            telling.add(
                DuplicateReview(record.state.duplicatePayments, self.rulebook.catalog, at: now, production))
        }
        guard !telling.isEmpty || record.version > .zero && telling.next != record.due else { return nil }
        var random = SystemRandomNumberGenerator()
        var bundle = FactBundle(
            source: request.source, dedupKey: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
            contentDigest: .zero, signedDate: now)
        bundle.customer = CustomerRequest(customer, .tell(telling))
        return (
            .customer(customer),
            Submission(key: self.holdings.key(of: customer), bundle: bundle, evidence: nil)
        )
    }

    private func send(_ submissions: [(Subject, Submission)]) async -> [Subject: ReviewOutcome] {
        await withTaskGroup(of: (Subject, ReviewOutcome).self) { group in
            for (subject, submission) in submissions {
                group.addTask {
                    do throws(ServiceError) {
                        let acceptance = try await self.router.offer(submission)
                        if case .stream = subject, acceptance.isDuplicate { return (subject, .done) }
                        return (subject, .again)
                    } catch {
                        // Who is being deleted is told nothing more.
                        return (subject, error.code == .customerDeleted ? .done : .failed(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { outcomes, outcome in
                if case .failed? = outcomes[outcome.0] { return }
                outcomes[outcome.0] = outcome.1
            }
        }
    }
}

extension CustomerTelling {
    fileprivate mutating func add(_ review: DuplicateReview) {
        self.duplicatePayments = review.found
        self.closedDuplicatePayments = review.closed
        if let moment = review.next { self.next = min(self.next ?? moment, moment) }
    }
}

/// Whom a change of one stream concerns.
private struct Concern {
    let key: StreamKey
    var customers: [CustomerID]
    /// Streams that supersede it, of which it does not know yet.
    var successions: [Succession]

    struct Succession {
        /// Of the stream that supersedes.
        let key: StreamKey
        /// The superseded one, at the place of the payload that says so.
        let named: Placed<OriginalTransactionID>

        func submission(by source: EventSource) -> Submission {
            Submission(of: self.key, superseding: self.named, by: source, Array("again".utf8))
        }
    }
}

extension HoldingsReader {
    /// For each request those to whom its stream leads now, and those whom it names, as they are by now and as they were named.
    fileprivate func concerns(of requests: [ReviewRequest]) async throws -> [Concern] {
        let loaded = try await self.load(Set(requests.map(\.key.bytes))).0
        let carriers = try await self.carriers(of: requests, loaded)
        let successions = try await self.successions(of: requests, loaded)
        var needs = CustomerDirectory.Needs()
        for state in carriers.joined() { needs.merge(self.links.needs(of: state)) }
        for request in requests {
            for identifier in request.review.identifiers {
                let hash = self.hashing.hash(identifier)
                needs.identifiers[StreamKey(identifier.kind, hash)] = hash
            }
            for customer in request.review.customers { needs.merge(self.links.need(of: customer)) }
        }
        let directory = try await self.directory(needs)
        return requests.indices.map { place in
            let request = requests[place]
            var customers = request.review.customers + carriers[place].flatMap { self.links.named(in: $0, directory) }
            switch loaded.publisher[request.key.bytes]?.kept {
            case .customer(let state)?: customers += [state.customer, state.movedTo].compactMap(\.self)
            case .identifier(let state)?: customers += [state.holder].compactMap(\.self)
            case nil: break
            }
            customers += request.review.identifiers.compactMap { directory.end(of: self.hashing.hash($0)) }
            customers += customers.compactMap { directory.end(of: self.hash($0)) }
            return Concern(key: request.key, customers: Array(Set(customers)), successions: successions[place])
        }
    }

    /// For each request the stream that it is about; of an identifier all that carry it, since whoever registers it may overrule links.
    private func carriers(of requests: [ReviewRequest], _ loaded: Loaded) async throws -> [[StreamState]] {
        var streams = requests.map { [loaded.streams[$0.key.bytes]].compactMap(\.self) }
        var (places, sought) = ([Int](), [SoughtIdentifier]())
        for (place, request) in requests.enumerated() {
            guard let text = loaded.publisher[request.key.bytes]?.kept.identifier?.identifier,
                let identifier = RegistrableIdentifier(request.key.kind, text)
            else { continue }
            places.append(place)
            sought.append(self.hashing.sought(identifier))
        }
        guard !sought.isEmpty else { return streams }
        let carriers = try await self.store.streams(for: sought).map { keys in
            keys.filter { StreamKey(bytes: $0)?.kind.givesAccess ?? false }
        }
        let found = try await self.load(Set(carriers.joined())).0.streams
        for (place, keys) in zip(places, carriers) { streams[place] += keys.compactMap { found[$0] } }
        return streams
    }

    /// For each request the streams that supersede its own and of which that does not know: it came later, or they are from before
    /// streams were told.
    private func successions(of requests: [ReviewRequest], _ loaded: Loaded) async throws -> [[Concern.Succession]] {
        let states = requests.map { loaded.streams[$0.key.bytes] }
        let found = try await self.store.streams(
            for: requests.map { SoughtIdentifier(self.hashing.superseding($0.key)) })
        let unknown = zip(states, found).map { state, keys in
            keys.filter { bytes in state.map { !$0.successors.map(\.bytes).contains(bytes) } ?? false }
        }
        guard unknown.contains(where: { !$0.isEmpty }) else { return requests.map { _ in [] } }
        let successors = try await self.load(Set(unknown.joined())).0.streams
        return zip(states, unknown).map { state, keys in
            guard let state, state.leads.successors.count < StreamLeads.successorLimit else { return [] }
            return keys.compactMap { successors[$0] }.compactMap { successor in
                guard let named = successor.leads.predecessor, named.value.rawValue == state.key.id else { return nil }
                return Concern.Succession(key: successor.key, named: named)
            }
        }
    }
}
