import Customers
import Entitlements
import ServiceContract
import StrictJSON
import Subscriptions

extension CustomerAnswer {
    /// One name in the answer about a customer.
    fileprivate func writeEntitlement(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", self.entitlement)
            json.member("entitled", self.entitled)
            json.member("rank", self.rank.map(Int64.init))
            json.member("validUntil", self.validUntil)
            json.member("environment", self.environment?.rawValue)
            json.member("by") { self.entitled ? self.writeOrigin(to: &$0) : $0.null() }
        }
    }

    private func writeOrigin(to json: inout JSONWriter) {
        guard let by = self.by else { return json.null() }
        json.object { json in
            by.writeMembers(to: &json)
            json.member("productId", self.productID)
            json.member("state", self.state?.name)
            json.member("code", self.code.description)
            json.member("ownership", self.ownership)
        }
    }
}

extension CustomerEntitlements {
    /// It goes to devices.
    func write(to json: inout JSONWriter) {
        json.object { self.writeMembers(to: &$0) }
    }

    func writeMembers(to json: inout JSONWriter) {
        json.member("customerId", self.customer.rawValue)
        json.member("environment", self.environment.rawValue)
        json.member("asOf", self.asOf)
        json.member("stale", self.stale)
        json.member("token", self.token)
        json.member("incomplete", self.incomplete)
        json.member("movedTo", self.movedTo?.rawValue)
        json.member("entitlements") { json in
            json.array { json in for answer in self.answers { answer.writeEntitlement(to: &json) } }
        }
    }
}

extension CustomerView {
    /// With all that leads to the customer.
    /// - Parameter notUndone: what an undo has left as it was.
    func write(to json: inout JSONWriter, notUndone: [NotUndone]? = nil) {
        json.object { json in
            self.answer.writeMembers(to: &json)
            json.member("streams") { json in
                json.array { json in for stream in self.streams { stream.write(to: &json) } }
            }
            json.member("conflicts") { json in
                json.array { json in
                    for key in self.conflicts { json.object { key.writeNames(to: &$0) } }
                }
            }
            json.member("duplicatePayments") { json in
                json.array { json in
                    for duplicate in self.duplicatePayments { json.object { duplicate.writeMembers(to: &$0) } }
                }
            }
            json.member("grants") { json in
                json.array { json in
                    for grant in self.grants { json.object { grant.writeMembers(to: &$0) } }
                }
            }
            json.member("identifiers") { json in
                json.object { json in
                    json.member("appAccountTokens", self.identifiers.filter { $0.kind == .appAccountToken }.map(\.text))
                    json.member("appTransactionIds", self.identifiers.filter { $0.kind == .appTransaction }.map(\.text))
                }
            }
            json.member("attributes") { self.attributes.mapValues(Optional.some).write(to: &$0) }
            if let notUndone {
                json.member("notUndone") { json in
                    json.array { json in for one in notUndone { one.write(to: &json) } }
                }
            }
            guard let history = self.history else { return }
            json.member("history") { json in
                json.array { json in for event in history { event.write(to: &json) } }
            }
        }
    }
}

extension CustomerEvent {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("event", self.id)
            json.member("kind", self.event.kind.rawValue)
            json.member("at", self.at)
            json.member("actor", self.event.actor)
            json.member("reason", self.event.link?.reason ?? self.event.customer?.reason)
            json.member("stream") { self.key.write(to: &$0) }
            json.member("customerId", self.event.namedCustomer?.rawValue ?? self.event.customerID)
            json.member("identifier", ifPresent: self.event.registration?.identifier)
            if let content = self.event.customer?.content { return content.writeMembers(to: &json) }
            json.member("before", self.before?.rawValue)
            json.member("after", self.after?.rawValue)
        }
    }
}

extension NotUndone {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .stream(let key): key.writeNames(to: &json)
            case .identifier(let identifier):
                json.member("kind", identifier.kind == .appAccountToken ? "appAccountToken" : "appTransactionId")
                json.member("id", identifier.text)
            case .grant(let id):
                json.member("kind", "grant")
                json.member("id", id)
            case .attribute(let name):
                json.member("kind", "attribute")
                json.member("name", name)
            }
        }
    }
}

extension StreamKey {
    /// Of a subscription or purchase.
    func writeNames(to json: inout JSONWriter) {
        json.member("kind", self.kind.name)
        json.member("originalTransactionId", self.id)
        json.member("bundleId", self.bundleID.rawValue)
        json.member("environment", self.environment.rawValue)
    }
}

extension CustomerView.Stream {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            self.key.writeNames(to: &json)
            json.member("state", self.snapshot.state.rawValue)
            json.member("productId", self.snapshot.productID)
            json.member("validUntil", self.snapshot.validUntil)
            json.member("because", self.because.word)
            json.member("since", self.since)
        }
    }
}

extension Resolution.Reason {
    fileprivate var word: String {
        switch self {
        case .link: "link"
        case .token: "token"
        case .appTransactionID: "appTransactionId"
        }
    }
}
