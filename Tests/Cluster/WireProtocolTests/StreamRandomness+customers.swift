import Customers
import Entitlements
import EventLog
import Foundation
import Subscriptions
import SwiftProtobuf
import WireProtocol

extension StreamRandomness {
    private mutating func hash() -> IdentifierHash {
        IdentifierHash(high: self.random.number(), low: self.random.number())
    }

    private mutating func pick<Value>(_ value: (inout Self) -> Value) -> Value? {
        self.random.number().isMultiple(of: 2) ? value(&self) : nil
    }

    private mutating func list<Value>(_ value: (inout Self) -> Value) -> [Value] {
        (0..<Int(self.random.number() % 4)).map { _ in value(&self) }
    }

    private mutating func moment() -> Moment {
        Moment(milliseconds: Int64(truncatingIfNeeded: self.random.number() % 2_000_000_000_000))
    }

    private mutating func text() -> String {
        ["pro.monthly", "pro", "Zürich", "PURCHASED"][Int(self.random.number() % 4)]
    }

    private mutating func leads() -> LeadImage {
        LeadImage(
            link: self.pick { random in
                LeadImage.Link(
                    customer: random.pick { $0.hash() }, isOverruled: random.random.number().isMultiple(of: 2))
            },
            token: self.pick { .carried($0.hash(), asCustomer: $0.hash()) } ?? self.pick { _ in .unusable } ?? .absent,
            appTransaction: self.pick { $0.hash() },
            predecessor: self.pick { OriginalTransactionID(rawValue: $0.text()) }, sharers: self.list { $0.hash() })
    }

    private mutating func phases() -> [HeldStream.Phase] {
        var from = self.moment()
        return self.list { random in
            from = from + Milliseconds(rawValue: Int64(random.random.number() % 100_000))
            return HeldStream.Phase(
                from: from, state: LifecycleState.allCases[Int(random.random.number() % 6)],
                entitled: random.random.number().isMultiple(of: 2),
                code: CohortCode(state: Int(random.random.number() % 15) - 9, offer: Int(random.random.number() % 6)),
                productID: random.pick { $0.text() }, purchaseDate: random.pick { $0.moment() },
                quantity: Int64(random.random.number() % 3) + 1, ownership: random.pick { $0.text() },
                isIncomplete: random.random.number().isMultiple(of: 2))
        }
    }

    private mutating func grant() -> Grant {
        Grant(
            id: self.text(), entitlement: self.text(), reason: "", source: "",
            from: self.pick { $0.moment() } ?? .distantPast, until: self.pick { $0.moment() },
            environment: self.pick { _ in .sandbox } ?? .production)
    }

    mutating func customerImage() -> CustomerImage {
        let content: CustomerImage.Content =
            switch self.random.number() % 3 {
            case 0: .held(self.leads(), self.phases())
            case 1:
                .granted(
                    GrantedImage(
                        movedTo: self.pick { $0.hash() }, grants: self.list { $0.grant() },
                        takes: self.list { $0.hash() }))
            default: .holder(self.pick { $0.hash() })
            }
        return CustomerImage(version: StreamVersion(rawValue: Int64(self.random.number() >> 1)), content)
    }

    mutating func rules() -> NumberedRules {
        let apps = self.list { random in
            (
                BundleID(rawValue: random.text()),
                StreamRules.App(
                    tokens: random.pick { _ in .registered } ?? .id,
                    sandboxOfAnybody: random.random.number().isMultiple(of: 2),
                    sandboxCustomers: Set(random.list { $0.hash() }), sandboxTokens: Set(random.list { $0.hash() }))
            )
        }
        return NumberedRules(
            UInt32(truncatingIfNeeded: self.random.number()),
            StreamRules(
                key: self.list { UInt8(truncatingIfNeeded: $0.random.number()) },
                catalog: self.list { random in
                    StreamRules.CatalogEntry(
                        entitlement: random.text(), products: random.list { $0.text() },
                        rank: Int(random.random.number() % 9) - 4)
                },
                nonRenewing: Dictionary(
                    self.list { ($0.text(), Milliseconds(rawValue: $0.moment().milliseconds)) }
                ) { first, _ in first },
                apps: Dictionary(apps) { first, _ in first }, tokens: self.pick { _ in .registered } ?? .id))
    }
}

// As the generated code has them.

extension CustomerImage {
    var proto: ProtoCustomerImage {
        .with { proto in
            proto.version = self.version.rawValue
            switch self.content {
            case .held(let leads, let phases): proto.held = Self.proto(leads, phases)
            case .granted(let granted):
                proto.granted = .with {
                    if let customer = granted.movedTo { $0.movedTo = Data(customer.bytes) }
                    $0.grants = granted.grants.map(Self.proto)
                    $0.takes = granted.takes.map { Data($0.bytes) }
                }
            case .holder(let holder): proto.holder = Data(holder?.bytes ?? [])
            }
        }
    }

    private static func proto(_ grant: Grant) -> ProtoRunningGrant {
        .with {
            $0.id = grant.id
            $0.entitlement = grant.entitlement
            $0.environment = grant.environment.rawValue
            if grant.from != .distantPast { $0.from = grant.from.milliseconds }
            if let until = grant.until { $0.until = until.milliseconds }
        }
    }

    private static func proto(_ leads: LeadImage, _ phases: [HeldStream.Phase]) -> ProtoHeldImage {
        .with { proto in
            if let link = leads.link {
                proto.link = Data(link.customer?.bytes ?? [])
                proto.overruled = link.isOverruled
            }
            if case .carried(let token, let customer) = leads.token {
                (proto.token, proto.tokenAsCustomer) = (Data(token.bytes), Data(customer.bytes))
            }
            proto.tokenUnusable = leads.token == .unusable
            if let account = leads.appTransaction { proto.appTransaction = Data(account.bytes) }
            proto.predecessor = leads.predecessor?.rawValue ?? ""
            proto.sharers = leads.sharers.map { Data($0.bytes) }
            for phase in phases {
                for text in [phase.productID, phase.ownership].compactMap(\.self) where !proto.texts.contains(text) {
                    proto.texts.append(text)
                }
            }
            let texts = proto.texts
            func number(_ text: String?) -> UInt32 { text.flatMap(texts.firstIndex).map { UInt32($0) + 1 } ?? 0 }
            proto.phases = phases.map { phase in
                .with {
                    $0.from = phase.from.milliseconds
                    $0.state = UInt32(
                        [LifecycleState.subscribed, .grace, .retry, .expired, .revoked, .owned]
                            .firstIndex(of: phase.state)!)
                    $0.entitled = phase.entitled
                    $0.codeState = UInt32(phase.code.state + 9)
                    $0.codeOffer = UInt32(phase.code.offer)
                    $0.product = number(phase.productID)
                    if let date = phase.purchaseDate { $0.purchaseDate = date.milliseconds }
                    $0.quantity = phase.quantity == 1 ? 0 : phase.quantity
                    $0.ownership = number(phase.ownership)
                    $0.incomplete = phase.isIncomplete
                }
            }
        }
    }
}

extension NumberedRules {
    var proto: ProtoRules {
        .with { proto in
            proto.fingerprint = self.fingerprint
            proto.key = Data(self.rules.key)
            proto.catalog = self.rules.catalog.map { entry in
                .with {
                    $0.entitlement = entry.entitlement
                    $0.products = entry.products
                    $0.rank = Int64(entry.rank)
                }
            }
            proto.nonRenewing = self.rules.nonRenewing.sorted { $0.key < $1.key }.map { product, duration in
                .with {
                    $0.product = product
                    $0.duration = duration.rawValue
                }
            }
            proto.apps = self.rules.apps.sorted { $0.key.rawValue < $1.key.rawValue }.map { bundleID, app in
                .with {
                    $0.bundleID = bundleID.rawValue
                    $0.tokensRegistered = app.tokens == .registered
                    $0.sandboxOfAnybody = app.sandboxOfAnybody
                    $0.sandboxCustomers = app.sandboxCustomers.sorted().map { Data($0.bytes) }
                    $0.sandboxTokens = app.sandboxTokens.sorted().map { Data($0.bytes) }
                }
            }
            proto.tokensRegistered = self.rules.tokens == .registered
        }
    }
}
