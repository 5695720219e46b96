import ServiceContract
import SubscriptionService
import Subscriptions

/// `CheckRequest` of `proto/perennial/v1/checks.proto`.
extension PostedChecks {
    init(protobuf body: [UInt8]) throws(Problem) {
        self.init(expecting: body.count / 16)
        var reader = ProtobufCheckReader()
        var message = ProtobufScanner(body)
        do {
            while let field = try message.nextField() {
                switch (field.number, field.wire) {
                case (1, .bytes): try self.add(try reader.item(ProtobufScanner(body, try message.content())))
                case (2, .varint): self.consistency = try Self.consistency(try message.varint())
                case (1...2, _): throw ProtobufScanner.Malformed()
                // Of a newer schema.
                default: try message.skip(field.wire)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.malformedBody, "not a CheckRequest of perennial.v1")
        }
    }

    /// A number from a newer schema is refused: it may ask for more than this node would keep.
    private static func consistency(_ number: UInt64) throws(Problem) -> Consistency {
        switch number {
        case 0, 1: .local
        case 2: .owner
        case 3: .durable
        default: throw Problem(.malformedBody, "consistency is none of local, owner, durable")
        }
    }
}

/// Reads one `Check` after the other.
private struct ProtobufCheckReader {
    private var entitlements = StringCache()
    private var bundleIDs = StringCache()

    /// What is no check is refused alone: the other items have to get their answers.
    mutating func item(_ scanner: ProtobufScanner) throws(ProtobufScanner.Malformed) -> PostedChecks.Item {
        var message = scanner
        var subscription = 0..<0
        var purchase = 0..<0
        var customer = 0..<0
        var isReadable = true
        var entitlement = 0..<0
        var bundleID = 0..<0
        var environment: UInt64 = 0
        while let field = try message.nextField() {
            switch (field.number, field.wire) {
            case (1, .bytes): subscription = try message.content()
            case (2, .bytes): entitlement = try message.content()
            case (3, .varint): environment = try message.varint()
            case (4, .bytes): bundleID = try message.content()
            case (5, .bytes): purchase = try message.content()
            case (6, .bytes): customer = try message.content()
            case (let number, let wire):
                // Fields of a newer schema pass; one of these in another form would be a condition that is passed over.
                if number <= 6 { isReadable = false }
                try message.skip(wire)
            }
        }
        let body = message.bytes
        let subjects = (subscription.isEmpty ? 0 : 1) + (purchase.isEmpty ? 0 : 1) + (customer.isEmpty ? 0 : 1)
        guard isReadable, subjects == 1,
            bundleID.isEmpty || body[bundleID].isIdentifier,
            let environment = Self.environment(environment), let name = self.entitlements.text(body[entitlement])
        else { return .refused(.invalidCheck) }
        if !customer.isEmpty {
            return PostedChecks.Item(
                customer: body[customer], environment: environment, entitlement: name.isEmpty ? nil : name,
                hasBundle: !bundleID.isEmpty)
        }
        let id = subscription.isEmpty ? purchase : subscription
        guard body[id].isIdentifier else { return .refused(.invalidCheck) }
        return .question(
            CheckRequest(
                subscription.isEmpty ? .purchase : .subscription, id: body[id], environment: environment,
                bundleID: bundleID.isEmpty ? nil : self.bundleIDs.text(body[bundleID]).map(BundleID.init(rawValue:)),
                entitlement: name.isEmpty ? nil : name))
    }

    private static func environment(_ number: UInt64) -> AppStoreEnvironment? {
        switch number {
        case 0, 2: .production
        case 3: .sandbox
        case 4: .xcode
        case 5: .localTesting
        default: nil
        }
    }
}
