import Customers
import Entitlements
import EventLog
import ServiceContract
import SubscriptionService
import Subscriptions

/// `CheckResponse` of `proto/perennial/v1/checks.proto`, by hand for the reason that `ProtobufScanner` gives. What has
/// its default value is left out, as SwiftProtobuf does.
extension CheckAnswers {
    func protobuf() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + 32 * self.posted.count)
        var products = ProductTable()
        self.forEach { item in
            switch item {
            case .verdict(let verdict):
                bytes.append(messageInField: 1) { verdict.append(to: &$0, &products) }
            case .customer(.answer(let answer, let standing)):
                var message: [UInt8] = []
                answer.append(to: &message, &products, standing)
                bytes.append(1 << 3 | 2)
                bytes.append(varint: UInt64(message.count))
                bytes.append(contentsOf: message)
            case .customer(.refused(let code)):
                bytes.append(messageInField: 1) { $0.append(text: code.rawValue, inField: 8) }
            case .error(let code):
                bytes.append(messageInField: 1) { $0.append(text: code, inField: 8) }
            }
        }
        bytes.append(number: self.response.asOf.milliseconds, inField: 2)
        bytes.append(number: self.response.stale ? 1 : 0, inField: 3)
        bytes.append(text: self.response.token, inField: 4)
        for product in products.products { bytes.append(text: product, inField: 5) }
        return bytes
    }
}

/// The product ids of one answer, each once, with numbers from 1 on.
private struct ProductTable {
    private(set) var products: [String] = []
    private var numbers: [String: Int] = [:]
    private var last = (product: "", number: 0)

    mutating func number(of product: String) -> Int {
        // Mostly the one before, and then the very same object.
        if self.last.number > 0, self.last.product == product { return self.last.number }
        let number = self.numbers[product] ?? self.add(product)
        self.last = (product, number)
        return number
    }

    private mutating func add(_ product: String) -> Int {
        self.products.append(product)
        self.numbers[product] = self.products.count
        return self.products.count
    }
}

extension CheckVerdict {
    fileprivate func append(to bytes: inout [UInt8], _ products: inout ProductTable) {
        bytes.append(number: self.entitled ? 1 : 0, inField: 1)
        bytes.append(number: self.state?.protoNumber ?? 0, inField: 2)
        let tenths = Int64(self.code.tenths)
        bytes.append(number: tenths << 1 ^ tenths >> 63, inField: 3)
        if let validUntil = self.validUntil {
            bytes.append(4 << 3)
            bytes.append(varint: UInt64(bitPattern: validUntil.milliseconds))
        }
        if let product = self.productID { bytes.append(number: Int64(products.number(of: product)), inField: 5) }
        bytes.append(number: self.version.rawValue, inField: 6)
        bytes.append(number: self.reason?.protoNumber ?? 0, inField: 7)
    }
}

extension CustomerAnswer {
    fileprivate func append(
        to bytes: inout [UInt8], _ products: inout ProductTable, _ standing: CustomerResult.Standing
    ) {
        bytes.append(number: self.entitled ? 1 : 0, inField: 1)
        switch self.state {
        case .stream(let state): bytes.append(number: state.protoNumber, inField: 2)
        case .granted: bytes.append(number: 7, inField: 2)
        case nil: break
        }
        let tenths = Int64(self.code.tenths)
        bytes.append(number: tenths << 1 ^ tenths >> 63, inField: 3)
        if let validUntil = self.validUntil {
            bytes.append(4 << 3)
            bytes.append(varint: UInt64(bitPattern: validUntil.milliseconds))
        }
        if let product = self.productID { bytes.append(number: Int64(products.number(of: product)), inField: 5) }
        bytes.append(number: standing.protoNumber, inField: 7)
        bytes.append(text: self.entitlement ?? "", inField: 9)
        if let rank = self.rank {
            bytes.append(10 << 3)
            bytes.append(varint: UInt64(bitPattern: Int64(rank) << 1 ^ Int64(rank) >> 63))
        }
        bytes.append(number: self.environment?.protoNumber ?? 0, inField: 11)
        switch self.by {
        case .stream(let key): bytes.append(text: key.id, inField: key.kind == .purchase ? 13 : 12)
        case .grant(let id): bytes.append(text: id, inField: 14)
        case nil: break
        }
        bytes.append(text: self.ownership ?? "", inField: 15)
        if self.incomplete { bytes.append(contentsOf: [0x80, 0x01, 1]) }
        guard case .moved(let target) = standing else { return }
        bytes.append(contentsOf: [0x8A, 0x01])
        bytes.append(varint: UInt64(target.rawValue.utf8.count))
        bytes.append(contentsOf: target.rawValue.utf8)
    }
}

extension CustomerResult.Standing {
    /// Of `CheckReason`.
    fileprivate var protoNumber: Int64 {
        switch self {
        case .known: 0
        case .unknown: 6
        case .moved: 7
        }
    }
}

extension AppStoreEnvironment {
    /// Of `Environment`.
    fileprivate var protoNumber: Int64 {
        switch self {
        case .production: 2
        case .sandbox: 3
        case .xcode: 4
        case .localTesting: 5
        default: 1
        }
    }
}

extension LifecycleState {
    /// Of `CheckState`.
    fileprivate var protoNumber: Int64 {
        switch self {
        case .subscribed: 1
        case .grace: 2
        case .retry: 3
        case .expired: 4
        case .revoked: 5
        case .owned: 6
        }
    }
}

extension CheckVerdict.Reason {
    /// Of `CheckReason`.
    fileprivate var protoNumber: Int64 {
        switch self {
        case .unknownSubscription: 1
        case .otherProduct: 2
        case .consumable: 4
        case .unknownPurchase: 5
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(rest))
    }

    /// Nothing for 0.
    fileprivate mutating func append(number: Int64, inField field: UInt8) {
        guard number != 0 else { return }
        self.append(field << 3)
        self.append(varint: UInt64(bitPattern: number))
    }

    /// Nothing for no text.
    fileprivate mutating func append(text: String, inField field: UInt8) {
        guard !text.isEmpty else { return }
        self.append(field << 3 | 2)
        self.append(varint: UInt64(text.utf8.count))
        self.append(contentsOf: text.utf8)
    }

    /// - Precondition: the message has fewer than 128 bytes, as every result does.
    fileprivate mutating func append(messageInField field: UInt8, _ write: (inout [UInt8]) -> Void) {
        self.append(field << 3 | 2)
        let place = self.count
        self.append(0)
        write(&self)
        let length = self.count - place - 1
        precondition(length < 0x80, "the length of a message takes one byte here")
        self[place] = UInt8(length)
    }
}
