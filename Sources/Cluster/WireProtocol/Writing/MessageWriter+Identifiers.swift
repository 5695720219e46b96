import Subscriptions
import SwiftProtobuf

extension MessageWriter {
    /// An `Identifier`: as a number or a UUID where that gives the same text back.
    mutating func write(identifier text: String?, _ field: Int) {
        guard let text else { return }
        self.message(field) { message in
            if let number = UInt64(canonical: text) {
                message.write(present: Int64(bitPattern: number), 2)
            } else if let uuid = UUIDBytes(text) {
                message.write(uuid.bytes, uuid.isUpperCase ? 4 : 3)
            } else {
                message.write(present: text, 1)
            }
        }
    }

    mutating func write(_ digest: PayloadDigest, _ field: Int) { digest.withBytes { self.write($0, field) } }

    mutating func write(_ moment: Moment, _ field: Int) { self.write(moment.rawValue, field) }

    mutating func write(_ moment: Moment?, _ field: Int) { self.write(moment?.rawValue, field) }

    /// The two fields in which a word is written: its number now; the text of one that has none is for the caller to
    /// write later, since its field comes later.
    mutating func write<Word: KnownWord>(_ text: String?, as type: Word.Type, _ field: Int) -> String {
        let (word, other) = Word.fields(for: text)
        self.write(Int64(word.rawValue), field)
        return other
    }

    mutating func write(_ place: FactPlace?, _ field: Int) {
        guard let place else { return }
        self.message(field) { message in
            message.write(place.purchaseDate, 1)
            message.write(place.signedDate, 2)
            message.write(fixed: place.digestStart, 3)
        }
    }

    /// All that leads to a person; left out where nothing does.
    mutating func write(_ personal: PersonalIdentifiers, _ field: Int) {
        guard personal != PersonalIdentifiers() else { return }
        self.message(field) { message in
            for owner in personal.owners {
                message.message(1) { message in
                    message.write(identifier: owner.appAccountToken, 1)
                    message.write(identifier: owner.appTransactionID, 2)
                }
            }
            message.write(identifier: personal.customerID, 2)
            message.write(identifier: personal.rescinded, 3)
            message.write(identifier: personal.linkToken, 4)
            message.write(identifier: personal.appAccountToken, 5)
            message.write(identifier: personal.appTransactionID, 6)
            message.write(identifier: personal.linkedCustomerID, 7)
            for id in personal.sharingCustomerIDs { message.write(identifier: id, 8) }
            for id in personal.conflictingCustomerIDs { message.write(identifier: id, 9) }
            message.write(identifier: personal.otherCustomerID, 10)
            message.write(identifier: personal.registeredIdentifier, 11)
        }
    }
}

extension Facts {
    /// Whose a fact is.
    struct Owner: Equatable {
        var appAccountToken: String?
        var appTransactionID: String?

        static func == (left: Self, right: Self) -> Bool {
            Self.areSame(left.appAccountToken, right.appAccountToken)
                && Self.areSame(left.appTransactionID, right.appTransactionID)
        }

        private static func areSame(_ left: String?, _ right: String?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return left.hasSameBytes(as: right)
        }
    }

    /// Of each fact, in the form of `PersonalIdentifiers.owners`: the last one stands for all that follow.
    var owners: [Owner] {
        var owners = self.transactions.map {
            Owner(appAccountToken: $0.appAccountToken, appTransactionID: $0.appTransactionID)
        }
        if let renewal = self.renewal {
            owners.append(
                Owner(appAccountToken: renewal.appAccountToken, appTransactionID: renewal.appTransactionID))
        }
        while owners.count > 1, owners[owners.count - 1] == owners[owners.count - 2] { owners.removeLast() }
        return owners == [Owner()] ? [] : owners
    }
}
