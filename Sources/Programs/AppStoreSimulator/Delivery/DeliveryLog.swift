import Foundation
package import Subscriptions
import Synchronization

/// What the store has said about each subscription and purchase, in the order of signing, and what of it has arrived.
/// For all to read while more is being delivered. Small, because it keeps everything that was ever said.
package final class DeliveryLog: Sendable {
    package enum State: Hashable, Sendable {
        /// For the attempt that is due then, or under way since.
        case waiting(until: Moment)
        case arrived
        case givenUp
    }

    package struct Entry: Hashable, Sendable {
        package let telling: Telling
        package let state: State
        /// Oldest first.
        package let failures: [SendAttempt]
    }

    private struct Record {
        let uuid: UUID
        let signedDate: Moment
        let kind: UInt16
        let transaction: UInt16
        var state: State
        var failures: [SendAttempt]
    }

    private struct Kind: Hashable {
        let type: String
        let subtype: String?
    }

    /// All about one subscription or purchase.
    private struct Story {
        var transactionIDs: [String] = []
        var records: [Record] = []

        mutating func number(of transactionID: String) -> UInt16 {
            if let place = self.transactionIDs.lastIndex(of: transactionID) { return UInt16(place) }
            self.transactionIDs.append(transactionID)
            return UInt16(self.transactionIDs.count - 1)
        }

        mutating func insert(_ record: Record) {
            let place = self.records.lastIndex { $0.signedDate <= record.signedDate }.map { $0 + 1 } ?? 0
            self.records.insert(record, at: place)
        }
    }

    private struct Contents {
        var kinds: [Kind] = []
        var kindNumbers: [Kind: UInt16] = [:]
        var stories: [String: Story] = [:]

        mutating func number(of kind: Kind) -> UInt16 {
            if let number = self.kindNumbers[kind] { return number }
            let number = UInt16(self.kinds.count)
            self.kinds.append(kind)
            self.kindNumbers[kind] = number
            return number
        }
    }

    private let contents = Mutex(Contents())

    package init() {}

    /// - Returns: in the order of signing; empty for what was never sold.
    package func entries(about originalTransactionID: String) -> [Entry] {
        self.contents.withLock { contents in
            guard let story = contents.stories[originalTransactionID] else { return [] }
            return story.records.map { record in
                let kind = contents.kinds[Int(record.kind)]
                return Entry(
                    telling: Telling(
                        uuid: record.uuid.uuidString.lowercased(), type: kind.type, subtype: kind.subtype,
                        signedDate: record.signedDate, transactionID: story.transactionIDs[Int(record.transaction)]),
                    state: record.state, failures: record.failures)
            }
        }
    }

    func enter(_ telling: Telling, about originalTransactionID: String, _ state: State, failures: [SendAttempt] = []) {
        self.contents.withLock { contents in
            let record = Record(
                uuid: Self.identifier(telling.uuid), signedDate: telling.signedDate,
                kind: contents.number(of: Kind(type: telling.type, subtype: telling.subtype)),
                transaction: contents.stories[originalTransactionID, default: Story()].number(
                    of: telling.transactionID),
                state: state, failures: failures)
            contents.stories[originalTransactionID, default: Story()].insert(record)
        }
    }

    func set(_ state: State, failures: [SendAttempt], of uuid: String, about originalTransactionID: String) {
        let uuid = Self.identifier(uuid)
        self.contents.withLock { contents in
            let records = contents.stories[originalTransactionID]?.records
            guard let place = records?.lastIndex(where: { $0.uuid == uuid }) else { return }
            contents.stories[originalTransactionID]?.records[place].state = state
            contents.stories[originalTransactionID]?.records[place].failures = failures
        }
    }

    private static func identifier(_ text: String) -> UUID {
        guard let uuid = UUID(uuidString: text) else { preconditionFailure("a notificationUUID is a UUID") }
        return uuid
    }
}
