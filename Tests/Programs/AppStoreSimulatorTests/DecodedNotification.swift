import AppStoreSimulator
import Foundation

/// What a signed notification says, without a look at its signatures. What JSON may hold has no Sendable type, but
/// nothing of it is ever changed.
struct DecodedNotification: @unchecked Sendable {
    let envelope: [String: Any]
    let data: [String: Any]
    let transaction: [String: Any]?
    let renewal: [String: Any]?
    let appTransaction: [String: Any]?
    /// All payloads as bytes, outermost without its nested ones.
    let unsigned: String

    init(_ notification: SignedNotification) throws {
        let envelope = try Self.payload(String(decoding: notification.signedPayload, as: UTF8.self))
        self.envelope = envelope
        self.data = envelope["data"] as? [String: Any] ?? [:]
        self.transaction = try (self.data["signedTransactionInfo"] as? String).map(Self.payload)
        self.renewal = try (self.data["signedRenewalInfo"] as? String).map(Self.payload)
        var bareAppData = envelope["appData"] as? [String: Any]
        self.appTransaction = try (bareAppData?["signedAppTransactionInfo"] as? String).map(Self.payload)
        bareAppData?["signedAppTransactionInfo"] = self.appTransaction
        var bare = envelope
        bare["appData"] = bareAppData
        var bareData = self.data
        bareData["signedTransactionInfo"] = self.transaction
        bareData["signedRenewalInfo"] = self.renewal
        bare["data"] = bareData
        let json = try JSONSerialization.data(withJSONObject: bare, options: [.sortedKeys, .withoutEscapingSlashes])
        self.unsigned = String(decoding: json, as: UTF8.self)
    }

    var name: String { [self.type, self.subtype].compactMap { $0 }.joined(separator: "/") }
    var type: String { self.envelope["notificationType"] as? String ?? "" }
    var subtype: String? { self.envelope["subtype"] as? String }

    static func payload(_ jws: String) throws -> [String: Any] {
        var text = jws.utf8.split(separator: UInt8(ascii: "."))[1].map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        text += [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        let object = try JSONSerialization.jsonObject(with: Data(base64Encoded: Data(text)) ?? Data())
        return object as? [String: Any] ?? [:]
    }
}

extension LifecycleFactory {
    /// The notifications of the first customers, with what they say.
    func told(byCustomers count: Int) throws -> [(SignedNotification, DecodedNotification)] {
        try (0..<count).flatMap { try self.lifecycles(ofCustomer: $0) }.flatMap(\.notifications)
            .map { ($0, try DecodedNotification($0)) }
    }
}
