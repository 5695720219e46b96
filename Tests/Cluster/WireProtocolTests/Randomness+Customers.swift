import EventLog
import Subscriptions

/// What people say of streams, customers and identifiers, and what changed rules do.
extension Randomness {
    mutating func reevaluation() -> Reevaluation {
        Reevaluation(previous: self.toldAnswer(), current: self.toldAnswer())
    }

    private mutating func toldAnswer() -> Reevaluation.Answer {
        Reevaluation.Answer(
            entitled: self.pick([true, false]), state: self.optional { $0.pick(LifecycleState.allCases) },
            code: self.text(),
            productID: self.optional { $0.text() }, validUntil: self.optional { $0.moment() },
            entitlements: self.list(upTo: 3) { $0.text() })
    }

    mutating func registration() -> Registration {
        Registration(
            self.pick(Registration.Action.allCases), of: self.optional { $0.text() },
            self.optional { $0.customer() }, isProvisional: self.pick([true, false]),
            isByLink: self.pick([true, false]),
            actor: self.optional { $0.text() })
    }

    /// nil, or what an event may say of links.
    mutating func link() -> LinkRecord? {
        self.optional { random in
            LinkRecord(
                random.pick(LinkRecord.Action.allCases), random.optional { $0.customer() },
                token: random.optional { $0.token() }, place: random.optional { $0.place() },
                actor: random.optional { $0.text() }, reason: random.optional { $0.text() },
                isErased: random.chance(1, in: 4))
        }
    }

    mutating func erasure() -> ErasureRequest {
        ErasureRequest(
            ErasedIdentifiers(
                customers: Set(self.list(upTo: 2) { $0.customer() }),
                identifiers: Set(
                    self.list(upTo: 2) { .token($0.token()) } + self.list(upTo: 2) { .account($0.text()) })),
            links: self.links(), at: self.version())
    }

    mutating func linkRequest() -> LinkRequest {
        let undo = LinkUndo(from: self.links(), to: self.links())
        let action = self.pick([LinkRequest.Action.link, .unlink, .dismiss, .undo(undo)])
        return LinkRequest(
            self.customer(), origin: self.pick(LinkRequest.Origin.allCases), action: action,
            actor: self.optional { $0.text() }, reason: self.optional { $0.text() })
    }

    private mutating func links() -> StreamLinks {
        StreamLinks(
            link: self.optional { random in
                CustomerLink(
                    customer: random.optional { $0.customer() }, token: random.optional { $0.token() },
                    place: random.place())
            }, sharers: self.list(upTo: 3) { $0.customer() }, conflicts: self.list(upTo: 3) { $0.customer() })
    }

    mutating func customerRecord() -> CustomerRecord {
        let content: CustomerRecord.Content =
            switch Int.random(in: 0..<14, using: &self) {
            case 7: .told(self.entitlementChange())
            case 9: .duplicatePayment(self.duplicatePayment())
            case 10: .duplicatePaymentClosed(self.duplicatePayment())
            case 0: .granted(self.grant())
            case 1:
                .revoked(grant: self.grantKey(), at: self.moment())
            case 2: .takes(self.optional { $0.customer() }, at: self.version(), self.room())
            case 3: .taken(self.optional { $0.customer() }, self.belongings())
            case 4: .moved(to: self.optional { $0.customer() })
            case 5: .drops(self.optional { $0.customer() })
            case 6: .stays
            case 11: .givesBack(self.optional { $0.customer() }, at: self.version(), self.room(), self.returned())
            case 12: .returned(from: self.optional { $0.customer() })
            case 13: .left(grants: self.list(upTo: 2) { $0.grantKey() })
            default: .attributes([self.text(): self.optional { $0.attribute() }])
            }
        return CustomerRecord(
            self.optional { $0.customer() }, content, actor: self.optional { $0.text() },
            reason: self.optional { $0.text() })
    }

    mutating func version() -> Int64 { .random(in: 0...9, using: &self) }

    mutating func room() -> Room {
        Room(
            names: .random(in: 1...9, using: &self), grants: .random(in: 0...9, using: &self),
            bytes: .random(in: 0...9, using: &self))
    }

    private mutating func belongings() -> Belongings {
        Belongings(
            grants: self.list(upTo: 2) { $0.grant() }, attributes: [self.text(): self.attribute()],
            arrived: self.list(upTo: 3) { .random(in: 0 ... .max, using: &$0) },
            asOf: self.moment(), of: .random(in: 0 ... .max, using: &self))
    }

    private mutating func grantKey() -> GrantKey {
        GrantKey(self.text(), under: self.optional { .random(in: 0 ... .max, using: &$0) })
    }

    private mutating func returned() -> ReturnedBelongings {
        ReturnedBelongings(
            grants: self.list(upTo: 2) { $0.grantKey() }, attributes: self.list(upTo: 2) { $0.text() },
            origins: self.list(upTo: 2) { .random(in: 0 ... .max, using: &$0) })
    }

    mutating func customerRequest() -> CustomerRequest {
        let change: CustomerRequest.Content =
            switch Int.random(in: 0..<13, using: &self) {
            case 10:
                .giveBack(
                    GiveBack(
                        self.customer(), at: self.version(), self.room(), self.returned(), seen: self.version()))
            case 11: .comeBack(from: self.customer(), at: self.version())
            case 12: .leave(grants: self.list(upTo: 2) { $0.grantKey() }, at: self.version())
            case 8:
                .tell(
                    CustomerTelling(
                        self.list(upTo: 3) { $0.entitlementChange() }, at: self.version(),
                        due: self.optional { $0.moment() }, next: self.optional { $0.moment() },
                        isBaseline: self.chance(1, in: 2),
                        duplicatePayments: self.list(upTo: 2) { $0.duplicatePayment() },
                        closedDuplicatePayments: self.list(upTo: 2) { $0.duplicatePayment() }))
            case 7: .restore(from: self.grant(), to: self.optional { $0.grant() })
            case 2: .take(self.customer(), at: self.version(), self.room(), origin: 7)
            case 3: .settle(self.customer(), self.belongings(), at: self.version())
            case 4: .move(to: self.customer(), at: self.version())
            case 5: .drop(self.customer(), before: self.version())
            case 6: .stay
            case 0: .grant(self.grant(), startsNow: self.chance(1, in: 2), replaces: self.chance(1, in: 2))
            case 1: .revoke(grant: self.text())
            default: .set([self.text(): self.optional { $0.attribute() }])
            }
        var request = CustomerRequest(
            self.customer(), change, actor: self.optional { $0.text() }, reason: self.optional { $0.text() })
        request.origins = self.list(upTo: 2) { .random(in: 0 ... .max, using: &$0) }
        return request
    }

    mutating func entitlementChange() -> EntitlementChange {
        EntitlementChange(
            self.entitlementName(), from: self.optional { $0.answerAboutName() }, to: self.answerAboutName())
    }

    mutating func entitlementName() -> EntitlementName {
        EntitlementName(self.text(), in: AppStoreEnvironment(rawValue: self.text()))
    }

    mutating func answerAboutName() -> ToldAnswer {
        let givers: [EntitlementGiver?] = [nil, .stream(Samples.key), .grant(id: self.text())]
        return ToldAnswer(
            entitled: self.chance(1, in: 2), state: self.optional { $0.text() }, code: self.text(),
            validUntil: self.optional { $0.moment() }, productID: self.optional { $0.text() },
            rank: self.optional { .random(in: -9...9, using: &$0) }, by: self.pick(givers))
    }

    mutating func duplicatePayment() -> DuplicatePayment {
        DuplicatePayment(self.text(), since: self.moment(), self.payingSide(), self.payingSide())
    }

    private mutating func payingSide() -> DuplicatePayment.Side {
        DuplicatePayment.Side(
            self.pick([.stream(Samples.key), .grant(id: self.text())]), productID: self.optional { $0.text() })
    }

    mutating func review() -> CustomerReview {
        CustomerReview(
            customers: self.list(upTo: 2) { $0.customer() },
            identifiers: self.list(upTo: 2) { .token($0.token()) } + self.list(upTo: 2) { .account($0.text()) })
    }

    mutating func successor() -> Placed<OriginalTransactionID> {
        Placed(OriginalTransactionID(rawValue: self.text()), at: self.place())
    }

    mutating func grant() -> Grant {
        Grant(
            id: self.text(), entitlement: self.text(), reason: self.text(), source: self.text(), from: self.moment(),
            until: self.optional { $0.moment() }, renews: self.chance(1, in: 2),
            environment: AppStoreEnvironment(rawValue: self.text()), actor: self.optional { $0.text() },
            revokedAt: self.optional { $0.moment() },
            origin: self.optional { .random(in: 0 ... .max, using: &$0) })
    }

    mutating func attribute() -> AttributeValue {
        switch Int.random(in: 0..<3, using: &self) {
        case 0: .text(self.text())
        case 1: .number(Double.random(in: -1e9...1e9, using: &self))
        default: .boolean(self.chance(1, in: 2))
        }
    }

    mutating func customer() -> CustomerID { CustomerID(stored: self.text()) }

    private mutating func token() -> AccountToken {
        let digits = (0..<32).map { _ in String(Int.random(in: 0...15, using: &self), radix: 16) }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }
        return AccountToken(groups.joined(separator: "-"))!
    }

    private mutating func place() -> FactPlace {
        FactPlace(purchaseDate: self.moment(), signedDate: self.moment(), digestStart: self.next())
    }

    /// What leads from a stream with these transactions: some of it is what they say.
    mutating func leads(_ transactions: [TransactionInfo]) -> StreamLeads {
        var leads = StreamLeads(transactions)
        if self.chance(1, in: 2) { leads.token = Placed(self.optional { $0.token() }, at: self.place()) }
        if self.chance(1, in: 3) { leads.appTransactionID = Placed(self.text(), at: self.place()) }
        if self.chance(1, in: 3) {
            leads.predecessor = Placed(OriginalTransactionID(rawValue: self.text()), at: self.place())
        }
        leads.successors = self.list(upTo: 3) { $0.successor() }
        leads.link = self.optional { random in
            CustomerLink(
                customer: random.optional { $0.customer() }, token: random.optional { $0.token() },
                place: random.place())
        }
        leads.sharers = self.list(upTo: 3) { $0.customer() }
        leads.conflicts = self.list(upTo: 3) { $0.customer() }
        return leads
    }
}
