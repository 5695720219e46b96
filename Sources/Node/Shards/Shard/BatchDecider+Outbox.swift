import Customers
import Entitlements
import EventLog
import Ownership
import ServiceContract
package import Subscriptions
package import WireProtocol

/// What has to follow in other streams. A commit leaves it in the store's inbox, from where the owner of the stream that it is about
/// takes it; what a customer is told is found out by the owner of the stream that has changed.
extension BatchDecider {
    /// - Parameter row: the stream's entitlements after `events`; nil for what no check asks about.
    func leftToDo(
        after events: [SubscriptionEvent], _ before: StreamEntry, _ after: StreamEntry, _ row: EntitlementRow?
    ) throws -> [InboxRow] {
        guard self.level >= .outbox else { return [] }
        let key = after.state.key
        var rows: [InboxRow] = []
        if row != nil {
            for event in events where event.namesPredecessor { rows += try self.succession(event, key, after) }
        }
        if let review = self.review(after: events, before, after, row) {
            rows.append(try self.left(review, by: events[0].source, of: key, Self.number(after.version.rawValue)))
        }
        return rows
    }

    /// A customer's stream is due: an answer may have changed by time alone.
    mutating func beginReview(due: Moment, of command: Command) throws {
        let before = self.entry(of: command)
        let review = try self.left(
            CustomerReview(), by: .timer, of: command.key, Array("due".utf8) + Self.number(due.milliseconds))
        var after = before
        after.nextDue = nil
        try self.keep(after, before, command, entitlement: [])
        self.outbox.append(review)
    }

    // MARK: Customers

    /// nil where no customer's answer can be another one because of `events`.
    private func review(
        after events: [SubscriptionEvent], _ before: StreamEntry, _ after: StreamEntry, _ row: EntitlementRow?
    ) -> CustomerReview? {
        let isErasure = events.contains { $0.kind == .erased || $0.kind == .deleted }
        switch before.publisher {
        case nil:
            guard let row else { return nil }
            // Nobody is asked about who is gone.
            guard !isErasure else { return CustomerReview() }
            let leadsElsewhere = !after.state.leads.leadsLike(before.state.leads)
            // One that is new has to look for those that supersede it, which may have come before.
            guard
                before.version == .zero || leadsElsewhere || self.givesOtherwise(before, row)
                    || self.isPaidOtherwise(before, after)
                    || events.contains(where: { $0.mayChangeAnswers(of: after.state.key.kind) })
            else { return nil }
            return leadsElsewhere ? before.state.leads.review : CustomerReview()
        case .identifier where isErasure, .customer where isErasure: return nil
        case .identifier(let state): return CustomerReview(customers: [state.holder].compactMap(\.self))
        case .customer:
            let concerned = events.compactMap(\.customer).flatMap(\.concernedCustomers)
            return concerned.isEmpty ? nil : CustomerReview(customers: concerned)
        }
    }

    /// Whether the stream gives something else than what it was told to give, or than what whoever has looked at it since may have seen:
    /// a transition may be due that its timer has not announced.
    private func givesOtherwise(_ before: StreamEntry, _ row: EntitlementRow) -> Bool {
        let told = try? EntitlementRow(decoding: before.told)
        let given = row.answer(at: self.now).given
        return told?.answer(at: self.announcedUntil(before)).given != given || told?.answer(at: self.now).given != given
    }

    /// Whether the customer pays otherwise than before, or than a review since may have seen: a period may have begun without an announcement.
    private func isPaidOtherwise(_ before: StreamEntry, _ after: StreamEntry) -> Bool {
        guard self.level >= .duplicatePayments else { return false }
        let payment = after.state.payment(at: self.now)
        return before.state.payment(at: self.announcedUntil(before)) != payment
            || before.state.payment(at: self.now) != payment
    }

    /// - Parameter name: tells it from all others of the stream.
    private func left(
        _ review: CustomerReview, by source: EventSource, of key: StreamKey, _ name: [UInt8]
    ) throws -> InboxRow {
        var bundle = FactBundle(
            source: source, dedupKey: Array("review".utf8) + name + key.bytes, contentDigest: .zero,
            signedDate: self.now)
        bundle.review = review
        return try self.row(Submission(key: key, bundle: bundle, evidence: nil), for: self.shard)
    }

    private func row(_ submission: Submission, for shard: ShardID) throws -> InboxRow {
        InboxRow(
            dedupKey: submission.bundle.dedupKey, shard: shard, receivedAt: self.now.milliseconds,
            raw: try submission.wireBytes())
    }

    private static func number(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    /// Answers of several moments or versions of a customer are told one after the other. What another clock sees to come, and this one
    /// has seen, is looked at once more.
    mutating func decide(
        _ telling: CustomerTelling, of customer: CustomerID, _ bundle: FactBundle, of command: Command
    ) throws -> SubmissionOutcome {
        let before = self.entry(of: command)
        guard before.version.rawValue == telling.version, before.nextDue == telling.due,
            telling.next.map({ $0 > self.now }) ?? true
        else {
            let error = ServiceError(CustomerRefusal.customerMoving)
            return .refused(error.code, message: error.message)
        }
        var reviewed = before
        reviewed.nextDue = telling.next
        guard !telling.isEmpty else {
            if before.version > .zero, before.nextDue != telling.next {
                try self.keep(reviewed, before, command, entitlement: [])
            }
            return .duplicate(before.place)
        }
        let events = telling.records(of: customer).map { record in
            SubscriptionEvent(
                source: bundle.source, changes: [telling.isNoted(record) ? .noted : record.change], customer: record)
        }
        let place = try self.append(
            events, to: reviewed, command, dedupKey: bundle.dedupKey, announcedUntil: self.now)
        self.deliveries[bundle.dedupKey] = Delivery(contentDigest: nil, place: place)
        return .recorded(place)
    }

    // MARK: Predecessors

    /// Each payload that names a predecessor says so once more: it costs little, and finds one that has come since.
    private func succession(_ event: SubscriptionEvent, _ key: StreamKey, _ after: StreamEntry) throws -> [InboxRow] {
        guard let named = StreamLeads(event.facts.transactions).predecessor, named.value.rawValue != key.id else {
            return []
        }
        let submission = Submission(
            of: key, superseding: named, by: event.source, Self.number(after.version.rawValue))
        return [try self.row(submission, for: self.map.shard(of: submission.key.id))]
    }

    /// By which a stream is found that supersedes another one.
    func lookupsOfSuccessor(after events: [SubscriptionEvent], _ command: Command) -> [Lookup] {
        guard command.key.kind.givesAccess, events.contains(where: \.namesPredecessor) else { return [] }
        return events.flatMap(\.facts.transactions).compactMap(\.previousOriginalTransactionID)
            .filter { $0.rawValue != command.key.id }
            .flatMap { [self.links.hashing.superseding, self.links.hashing.superseding(command.key.other($0))] }
            .map { Lookup(kind: .customer, hash: $0, key: command.keyBytes) }
    }

    /// A stream that is not known yet looks for its successors when it comes.
    mutating func decideSuccession(
        _ successor: Placed<OriginalTransactionID>, _ bundle: FactBundle, of command: Command
    ) throws -> SubmissionOutcome {
        let before = self.entry(of: command)
        if let earlier = self.delivery(of: bundle.dedupKey) { return .duplicate(earlier.place) }
        var leads = before.state.leads
        guard before.version > .zero, command.key.kind.givesAccess, leads.merge(successor) else {
            return .duplicate(before.place)
        }
        let place = try self.append(
            [
                SubscriptionEvent(
                    source: bundle.source, changes: [.superseded], signedDate: bundle.signedDate, successor: successor)
            ],
            to: before, command, dedupKey: bundle.dedupKey, announcedUntil: self.announcedUntil(before))
        self.deliveries[bundle.dedupKey] = Delivery(contentDigest: nil, place: place)
        return .recorded(place)
    }
}

extension Submission {
    /// Tells a stream that another one supersedes it.
    /// - Parameters:
    ///   - key: of the other one.
    ///   - named: the stream, at the place of the payload that names it.
    ///   - name: tells it from all others that the other one says.
    package init(
        of key: StreamKey, superseding named: Placed<OriginalTransactionID>, by source: EventSource, _ name: [UInt8]
    ) {
        let predecessor = key.other(named.value)
        var bundle = FactBundle(
            source: source, dedupKey: Array("superseded".utf8) + name + key.bytes + predecessor.bytes,
            contentDigest: .zero, signedDate: named.place.signedDate)
        bundle.successor = Placed(OriginalTransactionID(rawValue: key.id), at: named.place)
        self.init(key: predecessor, bundle: bundle, evidence: nil)
    }
}

extension CheckAnswer {
    /// The product to which access is given, "" for an unknown one; nil without access.
    fileprivate var given: String? { self.entitled ? self.productID ?? "" : nil }
}

extension SubscriptionEvent {
    /// Apple's `previousOriginalTransactionId`.
    fileprivate var namesPredecessor: Bool {
        self.facts.transactions.contains { $0.previousOriginalTransactionID != nil }
    }

    /// Whether a customer's answer may be another one, though the stream gives what it gave.
    fileprivate func mayChangeAnswers(of kind: StreamKind) -> Bool {
        // Purchases of a customer add up.
        self.kind == .reevaluated || self.kind == .superseded
            || kind == .purchase && !self.facts.transactions.isEmpty && self.kind != .confirmed
                && self.kind != .watermarksRaised
    }
}

extension CustomerTelling {
    /// What closes makes room for what is new.
    fileprivate func records(of customer: CustomerID) -> [CustomerRecord] {
        let contents =
            self.changes.prefix(Self.limit).map(CustomerRecord.Content.told)
            + self.closedDuplicatePayments.map(CustomerRecord.Content.duplicatePaymentClosed)
            + self.duplicatePayments.map(CustomerRecord.Content.duplicatePayment)
        return contents.map { CustomerRecord(customer, $0) }
    }

    fileprivate func isNoted(_ record: CustomerRecord) -> Bool {
        guard self.isBaseline, case .told(let change) = record.content else { return false }
        return change.previous == nil
    }
}

extension CustomerRecord {
    /// Those whose answers the record may change.
    fileprivate var concernedCustomers: [CustomerID] {
        switch self.content {
        case .granted, .revoked: [self.customer].compactMap(\.self)
        case .taken(let other, _), .moved(let other), .returned(let other):
            [self.customer, other].compactMap(\.self)
        case .attributes, .takes, .drops, .givesBack, .left, .stays, .told, .duplicatePayment, .duplicatePaymentClosed:
            []
        }
    }
}
