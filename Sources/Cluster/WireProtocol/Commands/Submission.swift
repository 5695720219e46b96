package import EventLog
package import Subscriptions

/// What arrived together about one stream, with its signed originals, to be recorded by the owner of its shard. May be
/// repeated: the bundle's dedup key makes a second delivery a duplicate.
package struct Submission: Sendable {
    package let key: StreamKey
    package let bundle: FactBundle
    /// nil where nothing was signed.
    package let evidence: EncodedEvidence?

    package init(key: StreamKey, bundle: FactBundle, evidence: EncodedEvidence?) {
        self.key = key
        self.bundle = bundle
        self.evidence = evidence
    }
}

/// As the message `Submission`. By hand, as the log's events are: half of all notifications cross.
extension Submission: WireRepresentable {
    package init(wireBytes: [UInt8]) throws(WireError) { try self.init(wireBytes: wireBytes) { _ in nil } }

    /// - Parameter segment: gives the header segment that has a hash, if it is known.
    /// - Throws: also when one is not.
    package init(wireBytes: [UInt8], segment: ([UInt8]) -> [UInt8]?) throws(WireError) {
        self = try MessageReader.read(wireBytes, as: ProtoSubmission.self) { message throws(WireError) in
            try Submission(message, segment)
        }
    }

    package func wireBytes() throws(WireError) -> [UInt8] {
        try self.wireBytes(bundle: 2, evidence: 4, self.evidence?.headers ?? [])
    }

    /// The same for a reader who is believed to hold the header segments of `evidence`, which are most of what would cross.
    /// - Parameter hashes: of these segments, in their order.
    package func wireBytes(naming hashes: [[UInt8]]) throws(WireError) -> [UInt8] {
        try self.wireBytes(bundle: 5, evidence: 6, hashes)
    }

    private func wireBytes(
        bundle bundleField: Int, evidence evidenceField: Int, _ headers: [[UInt8]]
    ) throws(WireError) -> [UInt8] {
        let size = 768 + headers.reduce(self.evidence?.body.count ?? 0) { $0 + $1.count + 4 }
        var writer = MessageWriter(reservingCapacity: size)
        writer.write(self.key.bytes, 1)
        try writer.message(bundleField) { (message) throws(WireError) in
            if !self.bundle.dedupKey.isEmpty { message.write(self.bundle.dedupKey, 1) }
            try message.message(2) { (message) throws(WireError) in
                try self.bundle.event.write(to: &message, key: self.key)
            }
            if let link = self.bundle.link {
                var undo: [UInt8]?
                if case .undo(let content) = link.action { undo = try content.proto().encoded() }
                message.message(3) { $0.write(link, undo) }
            }
            if let customer = self.bundle.customer { message.write(try customer.proto().encoded(), 4) }
            message.write(self.bundle.registration?.version, 5)
            if let mark = self.bundle.reevaluation {
                message.message(6) { message in
                    message.write(Int64(mark.rules), 1)
                    message.write(Int64(bitPattern: mark.catalog), 2)
                    message.write(Int64(bitPattern: mark.history), 3)
                }
            }
            message.write(successor: self.bundle.successor, 7)
            if let review = self.bundle.review { message.write(try review.proto().encoded(), 8) }
            if let erasure = self.bundle.erasure { message.write(try erasure.proto().encoded(), 9) }
        }
        if let evidence {
            writer.message(evidenceField) { message in
                for header in headers { message.write(header, 1) }
                if !evidence.body.isEmpty { message.write(evidence.body, 2) }
            }
        }
        return writer.bytes
    }

    private init(_ message: MessageReader, _ segment: ([UInt8]) -> [UInt8]?) throws(WireError) {
        var message = message
        var key: StreamKey?
        var (bundle, evidence): (MessageReader?, MessageReader?)
        var namesHeaders = false
        while let field = try message.nextField() {
            switch field {
            case 1: key = StreamKey(bytes: try message.data())
            case 2, 5: bundle = try message.message(unless: bundle != nil)
            case 4, 6:
                evidence = try message.message(unless: evidence != nil)
                namesHeaders = field == 6
            default: try message.skip()
            }
        }
        guard let key else { throw WireError(.malformed, "a submission without the key of a stream") }
        guard let bundle else { throw WireError(.malformed, "a submission without its bundle") }
        self.init(
            key: key, bundle: try FactBundle(bundle, of: key),
            evidence: try evidence.map { (message) throws(WireError) in
                let evidence = try EncodedEvidence(message: message)
                return namesHeaders ? try evidence.withHeaders(segment) : evidence
            })
    }
}

/// A bundle crosses as the event that it becomes, without the changes.
extension FactBundle {
    fileprivate var event: SubscriptionEvent {
        SubscriptionEvent(
            facts: self.facts, source: self.source, changes: [], signedDate: self.signedDate,
            notification: self.notification, record: self.record,
            customerID: (self.link?.customer ?? self.customer?.customer)?.rawValue,
            registration: self.registration?.registration, contentDigest: self.contentDigest)
    }

    fileprivate init(_ message: MessageReader, of key: StreamKey) throws(WireError) {
        var message = message
        var dedupKey: [UInt8] = []
        var (content, link, customer): (MessageReader?, MessageReader?, MessageReader?)
        var registeredAt: Int64 = 0
        var (reevaluation, succession): (MessageReader?, MessageReader?)
        var (review, erasure): (MessageReader?, MessageReader?)
        while let field = try message.nextField() {
            switch field {
            case 1: dedupKey = try message.data()
            case 2: content = try message.message(unless: content != nil)
            case 3: link = try message.message(unless: link != nil)
            case 4: customer = try message.message(unless: customer != nil)
            case 5: registeredAt = try message.integer()
            case 6: reevaluation = try message.message(unless: reevaluation != nil)
            case 7: succession = try message.message(unless: succession != nil)
            case 8: review = try message.message(unless: review != nil)
            case 9: erasure = try message.message(unless: erasure != nil)
            default: try message.skip()
            }
        }
        guard let content else { throw WireError(.malformed, "a bundle without its content") }
        let event = try SubscriptionEvent(content, of: key)
        guard let contentDigest = event.contentDigest, let signedDate = event.signedDate else {
            throw WireError(.malformed, "a bundle without its digest or date")
        }
        self.init(
            facts: event.facts, source: event.source, dedupKey: dedupKey, contentDigest: contentDigest,
            signedDate: signedDate, notification: event.notification, record: event.record)
        self.reevaluation = try reevaluation.map { message throws(WireError) in try RulesMark(message) }
        self.successor = try succession.map { message throws(WireError) in try Placed(succession: message) }
        self.review = try review.map { message throws(WireError) in
            try CustomerReview(ProtoCustomerReview(decoding: message.copy))
        }
        self.erasure = try erasure.map { message throws(WireError) in try ErasureRequest(message.copy) }
        self.registration = event.registration.map { RegistrationRequest($0, at: registeredAt) }
        guard let id = event.customerID.map(CustomerID.init(stored:)) else {
            guard customer == nil else {
                throw WireError(.malformed, "a request about a customer without the customer")
            }
            return
        }
        if let customer {
            self.customer = try CustomerRequest(ProtoCustomerRequest(decoding: customer.copy), of: id)
        } else {
            self.link = try LinkRequest(id, link)
        }
    }
}

extension RulesMark {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var message = message
        self.init(rules: 0, catalog: 0, history: 0)
        while let field = try message.nextField() {
            switch field {
            case 1: self.rules = UInt32(truncatingIfNeeded: try message.number())
            case 2: self.catalog = try message.number()
            case 3: self.history = try message.number()
            default: try message.skip()
            }
        }
    }
}

extension MessageWriter {
    fileprivate mutating func write(_ link: LinkRequest, _ undo: [UInt8]?) {
        self.write(Int64(link.origin.rawValue), 1)
        self.write(link.action == .unlink, 2)
        self.write(link.actor, 3)
        self.write(link.reason, 4)
        self.write(link.action == .dismiss, 5)
        if let undo { self.write(undo, 6) }
    }
}

extension LinkRequest {
    /// - Parameter message: nil from a version without policies.
    fileprivate init(_ customer: CustomerID, _ message: MessageReader?) throws(WireError) {
        self.init(customer, origin: .post)
        guard var message else { return }
        while let field = try message.nextField() {
            switch field {
            case 1:
                let number = try message.word()
                guard let origin = Origin(rawValue: number) else {
                    throw WireError(.unknownWord, "number \(number) of \(ProtoLinkOrigin.self)")
                }
                self.origin = origin
            case 2: if try message.flag() { self.action = .unlink }
            case 3: self.actor = try message.text()
            case 4: self.reason = try message.text()
            case 5: if try message.flag() { self.action = .dismiss }
            case 6: self.action = .undo(try LinkUndo(message.message().copy))
            default: try message.skip()
            }
        }
    }
}

extension EncodedEvidence {
    /// With the segments in place of their hashes.
    fileprivate func withHeaders(_ segment: ([UInt8]) -> [UInt8]?) throws(WireError) -> EncodedEvidence {
        var evidence = self
        evidence.headers = try self.headers.map { (hash) throws(WireError) in
            guard let segment = segment(hash) else {
                throw WireError(.malformed, "the name of a header segment that is not known here")
            }
            return segment
        }
        return evidence
    }

    fileprivate init(message: MessageReader) throws(WireError) {
        var message = message
        self.init(headers: [], body: [])
        while let field = try message.nextField() {
            switch field {
            case 1: self.headers.append(try message.data())
            case 2: self.body = try message.data()
            default: try message.skip()
            }
        }
    }
}
