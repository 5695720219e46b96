import Customers
import Entitlements
import EventLog
import Subscriptions

extension MessageWriter {
    mutating func write(_ image: CustomerImage) {
        self.write(image.version.rawValue, 1)
        switch image.content {
        case .held(let leads, let phases):
            self.message(2) { message in
                message.write(leads)
                message.write(phases)
            }
        case .granted(let granted): self.message(3) { $0.write(granted) }
        case .holder(let holder): self.write(holder?.bytes ?? [], 4)
        }
    }

    private mutating func write(_ leads: LeadImage) {
        if let link = leads.link {
            self.write(link.customer?.bytes ?? [], 1)
            self.write(link.isOverruled, 2)
        }
        if case .carried(let token, let customer) = leads.token {
            self.write(token.bytes, 3)
            self.write(customer.bytes, 4)
        }
        self.write(leads.token == .unusable, 5)
        if let account = leads.appTransaction { self.write(account.bytes, 6) }
        if let predecessor = leads.predecessor { self.write(predecessor.rawValue, 7) }
        for sharer in leads.sharers { self.write(sharer.bytes, 8) }
    }

    private mutating func write(_ phases: [HeldStream.Phase]) {
        var texts: [String] = []
        func number(_ text: String?) -> Int64 {
            guard let text else { return 0 }
            if let place = texts.firstIndex(of: text) { return Int64(place) + 1 }
            texts.append(text)
            return Int64(texts.count)
        }
        let numbers = phases.map { (number($0.productID), number($0.ownership)) }
        for text in texts { self.write(present: text, 9) }
        for (phase, (product, ownership)) in zip(phases, numbers) {
            self.message(10) { message in
                message.write(phase.from.milliseconds, 1)
                message.write(Int64(CustomerImage.states.firstIndex(of: phase.state) ?? 0), 2)
                message.write(phase.entitled, 3)
                message.write(Int64(phase.code.state) + CustomerImage.codeOffset, 4)
                message.write(Int64(phase.code.offer), 5)
                message.write(product, 6)
                message.write(phase.purchaseDate?.milliseconds, 7)
                message.write(phase.quantity == 1 ? 0 : phase.quantity, 8)
                message.write(ownership, 9)
                message.write(phase.isIncomplete, 10)
            }
        }
    }

    private mutating func write(_ granted: GrantedImage) {
        if let customer = granted.movedTo { self.write(customer.bytes, 1) }
        for grant in granted.grants {
            self.message(2) { message in
                message.write(grant.id, 1)
                message.write(grant.entitlement, 2)
                message.write(grant.environment.rawValue, 3)
                message.write(grant.from == .distantPast ? nil : grant.from.milliseconds, 4)
                message.write(grant.until?.milliseconds, 5)
            }
        }
        for customer in granted.takes { self.write(customer.bytes, 3) }
    }
}

extension CustomerImage {
    /// In the order of their numbers.
    static let states: [LifecycleState] = [.subscribed, .grace, .retry, .expired, .revoked, .owned]
    static let codeOffset: Int64 = 9
}
