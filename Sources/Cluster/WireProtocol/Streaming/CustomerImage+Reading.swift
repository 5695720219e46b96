import Customers
import Entitlements
import EventLog
import Subscriptions

extension CustomerImage {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        var version: Int64 = 0
        var content: Content?
        while let field = try reader.nextField() {
            switch field {
            case 1: version = try reader.integer()
            case 2: content = try Self.held(reader.message(unless: content != nil))
            case 3: content = .granted(try GrantedImage(reader.message(unless: content != nil)))
            case 4: content = .holder(try reader.hash())
            default: try reader.skip()
            }
        }
        guard let content else { throw WireError(.malformed, "an image for customers that says nothing") }
        self.init(version: StreamVersion(rawValue: version), content)
    }

    private static func held(_ message: MessageReader) throws(WireError) -> Content {
        var reader = message
        var leads = LeadImage()
        var (token, customer): (IdentifierHash?, IdentifierHash?)
        var texts: [String] = []
        var phases: [HeldStream.Phase] = []
        while let field = try reader.nextField() {
            switch field {
            case 1: leads.link = LeadImage.Link(customer: try reader.hash(), isOverruled: false)
            case 2: leads.link?.isOverruled = try reader.flag()
            case 3: token = try reader.hash()
            case 4: customer = try reader.hash()
            case 5: if try reader.flag() { leads.token = .unusable }
            case 6: leads.appTransaction = try reader.hash()
            case 7: leads.predecessor = OriginalTransactionID(rawValue: try reader.text())
            case 8: if let sharer = try reader.hash() { leads.sharers.append(sharer) }
            case 9: texts.append(try reader.text())
            case 10:
                let phase = try HeldStream.Phase(reader.message(), texts)
                guard phases.last.map({ $0.from <= phase.from }) ?? true else {
                    throw WireError(.malformed, "phases that are not in their order")
                }
                phases.append(phase)
            default: try reader.skip()
            }
        }
        if let token, let customer { leads.token = .carried(token, asCustomer: customer) }
        return .held(leads, phases)
    }
}

extension HeldStream.Phase {
    fileprivate init(_ message: MessageReader, _ texts: [String]) throws(WireError) {
        var reader = message
        var (state, codeState, codeOffer) = (0, 0, 0)
        self.init(
            from: Moment(milliseconds: 0), state: .expired, entitled: false, code: .nothing, productID: nil)
        while let field = try reader.nextField() {
            switch field {
            case 1: self.from = Moment(milliseconds: try reader.integer())
            case 2: state = try reader.word()
            case 3: self.entitled = try reader.flag()
            case 4: codeState = try reader.word()
            case 5: codeOffer = try reader.word()
            case 6: self.productID = try reader.text(in: texts)
            case 7: self.purchaseDate = Moment(milliseconds: try reader.integer())
            case 8: self.quantity = try reader.integer()
            case 9: self.ownership = try reader.text(in: texts)
            case 10: self.isIncomplete = try reader.flag()
            default: try reader.skip()
            }
        }
        guard CustomerImage.states.indices.contains(state), (0...14).contains(codeState), (0...5).contains(codeOffer)
        else { throw WireError(.unknownWord, "a state or a code that is not known") }
        self.state = CustomerImage.states[state]
        self.code = CohortCode(state: codeState - Int(CustomerImage.codeOffset), offer: codeOffer)
    }
}

extension GrantedImage {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var reader = message
        self.init()
        while let field = try reader.nextField() {
            switch field {
            case 1: self.movedTo = try reader.hash()
            case 2: self.grants.append(try Grant(reader.message()))
            case 3: if let customer = try reader.hash() { self.takes.append(customer) }
            default: try reader.skip()
            }
        }
    }
}

extension Grant {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var reader = message
        self.init(id: "", entitlement: "", from: .distantPast, until: nil, in: .production)
        while let field = try reader.nextField() {
            switch field {
            case 1: self.id = try reader.text()
            case 2: self.entitlement = try reader.text()
            case 3: self.environment = AppStoreEnvironment(rawValue: try reader.text())
            case 4: self.from = Moment(milliseconds: try reader.integer())
            case 5: self.until = Moment(milliseconds: try reader.integer())
            default: try reader.skip()
            }
        }
    }
}

extension MessageReader {
    /// Of an identifier; nil where there is none.
    mutating func hash() throws(WireError) -> IdentifierHash? {
        let bytes = try self.content()
        guard !bytes.isEmpty else { return nil }
        guard let hash = IdentifierHash(bytes) else { throw WireError(.malformed, "a hash has 16 bytes") }
        return hash
    }

    /// By its number among `texts`; nil for 0.
    fileprivate mutating func text(in texts: [String]) throws(WireError) -> String? {
        let number = try self.number()
        guard number > 0 else { return nil }
        guard number <= UInt64(texts.count) else { throw WireError(.malformed, "a text that is not there") }
        return texts[Int(number) - 1]
    }
}
