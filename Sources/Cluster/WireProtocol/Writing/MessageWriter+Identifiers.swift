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

    mutating func write(personal owners: [Facts.Owner], customerIDs: [String], rescinded: String?, _ field: Int) {
        guard !owners.isEmpty || !customerIDs.isEmpty || rescinded != nil else { return }
        self.message(field) { message in
            for owner in owners {
                message.message(1) { message in
                    message.write(identifier: owner.appAccountToken, 1)
                    message.write(identifier: owner.appTransactionID, 2)
                }
            }
            for id in customerIDs { message.write(identifier: id, 2) }
            message.write(identifier: rescinded, 3)
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
