/// What a stream of events is about; the raw value is the first byte of its stored key.
package enum StreamKind: UInt8, Sendable, CaseIterable {
    /// An auto-renewable subscription.
    case subscription = 1
    /// A one-time purchase or a non-renewing subscription.
    case purchase = 2
    /// `mass:` + requestIdentifier, a mass renewal extension.
    case massExtension = 3
    /// `ext:` + externalPurchaseId.
    case externalPurchase = 4
    /// `app:` + appTransactionId (RESCIND_CONSENT).
    case appTransaction = 5
    /// `test:` + bundleId.
    case test = 6
    /// `cust:` + the hash of a customer's id: what people have said of the customer. Of no environment and no bundle.
    case customer = 7
    /// `tok:` + the hash of an `appAccountToken`: who has registered it. Of no environment and no bundle.
    case token = 8
    /// `atx:` + the hash of an `appTransactionId`, which is of an Apple Account: who has registered it. Likewise.
    case account = 9

    /// Whether such streams give access; the others are recorded and shown.
    package var givesAccess: Bool { self == .subscription || self == .purchase }

    /// Whether such streams hold what people at the publisher's have said, and are of no app.
    package var isOfPublisher: Bool { self == .customer || self == .token || self == .account }
}

/// Names one stream of events. Its id alone decides the shard; environment and bundle tell equal ids apart.
package struct StreamKey: Hashable, Sendable {
    package let kind: StreamKind
    /// With the prefix of its kind (`mass:`, `ext:`, `app:`, `test:`, `cust:`, `tok:`, `atx:`), if that has one.
    package let id: String
    package let environment: AppStoreEnvironment
    package let bundleID: BundleID

    package init(kind: StreamKind, id: String, environment: AppStoreEnvironment, bundleID: BundleID) {
        self.kind = kind
        self.id = id
        self.environment = environment
        self.bundleID = bundleID
    }
}

extension StreamKey {
    /// Of the identifier's own stream.
    package init(_ kind: IdentifierHash.Kind, _ hash: IdentifierHash) {
        let (stream, prefix): (StreamKind, String) =
            switch kind {
            case .customer: (.customer, "cust:")
            case .appAccountToken: (.token, "tok:")
            case .appTransaction: (.account, "atx:")
            }
        self.init(
            kind: stream, id: prefix + hash.hexadecimal, environment: AppStoreEnvironment(rawValue: ""),
            bundleID: BundleID(rawValue: ""))
    }

    /// The stored form: kind byte, id, 0, environment, 0, bundle. No part may hold a zero byte.
    package var bytes: [UInt8] {
        var bytes = [UInt8]()
        bytes.reserveCapacity(
            3 + self.id.utf8.count + self.environment.rawValue.utf8.count + self.bundleID.rawValue.utf8.count)
        bytes.append(self.kind.rawValue)
        bytes.append(contentsOf: self.id.utf8)
        bytes.append(0)
        bytes.append(contentsOf: self.environment.rawValue.utf8)
        bytes.append(0)
        bytes.append(contentsOf: self.bundleID.rawValue.utf8)
        return bytes
    }

    /// nil when `bytes` are not what `bytes` writes.
    package init?(bytes: [UInt8]) {
        guard let first = bytes.first, let kind = StreamKind(rawValue: first) else { return nil }
        let rest = bytes.dropFirst()
        guard let idEnd = rest.firstIndex(of: 0), let environmentEnd = rest[(idEnd + 1)...].firstIndex(of: 0),
            !rest[(environmentEnd + 1)...].contains(0)
        else { return nil }
        self.init(
            kind: kind,
            id: String(decoding: rest[..<idEnd], as: UTF8.self),
            environment: AppStoreEnvironment(
                rawValue: String(decoding: rest[(idEnd + 1)..<environmentEnd], as: UTF8.self)),
            bundleID: BundleID(rawValue: String(decoding: rest[(environmentEnd + 1)...], as: UTF8.self)))
    }

    /// The bytes that every key of this kind and id starts with, whatever its environment and bundle.
    package static func prefix(kind: StreamKind, id: String) -> [UInt8] {
        [kind.rawValue] + Array(id.utf8) + [0]
    }
}
