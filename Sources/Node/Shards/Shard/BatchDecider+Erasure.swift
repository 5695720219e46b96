import Customers
import EventLog
import ServiceContract
import Subscriptions
import WireProtocol

/// Streams that forget a deleted customer.
extension BatchDecider {
    /// Erases a customer from the stream's state. Whoever asks has cleaned the events up to `request.version`; at any other version the request
    /// is refused.
    mutating func decideErasure(
        _ request: ErasureRequest, _ bundle: FactBundle, of command: Command
    ) throws -> SubmissionOutcome {
        let before = self.entry(of: command)
        if let earlier = self.delivery(of: bundle.dedupKey) { return .duplicate(earlier.place) }
        guard before.version.rawValue == request.version else {
            // Whatever has been recorded since may name the customer.
            let error = ServiceError(CustomerRefusal.customerMoving)
            return .refused(error.code, message: error.message)
        }
        let after = before.erasing(request)
        let isDeletion = before.isOwn(request)
        guard isDeletion || !after.hasSameState(before) else { return .duplicate(before.place) }
        let place = try self.append(
            [SubscriptionEvent(source: .person, changes: [isDeletion ? .deleted : .erased])], to: before,
            onto: after, command,
            dedupKey: bundle.dedupKey, announcedUntil: self.announcedUntil(before))
        self.deliveries[bundle.dedupKey] = Delivery(contentDigest: nil, place: place)
        return .recorded(place)
    }
}

extension StreamEntry {
    /// Whether this is the own stream of a deleted customer; one that has no event yet is written to say so.
    fileprivate func isOwn(_ request: ErasureRequest) -> Bool {
        guard let customer = self.publisher?.customer else { return false }
        return self.version == .zero || request.erased.contains(customer.customer)
    }

    fileprivate func erasing(_ request: ErasureRequest) -> StreamEntry {
        var entry = self
        guard let publisher else {
            entry.state = self.state.erasing(request.erased, links: request.links)
            return entry
        }
        entry.publisher = publisher.erasing(request.erased)
        // Nothing of a customer who is gone is due.
        if entry.publisher == PublisherState(of: self.state.key.kind) { entry.nextDue = nil }
        return entry
    }

    /// Whether both hold the same state.
    fileprivate func hasSameState(_ other: Self) -> Bool {
        self.state == other.state && self.publisher == other.publisher
    }
}
