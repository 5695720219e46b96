import Customers
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions

/// Something of what happens to customers.
struct Happenings {
    static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    private static let deleted = "gone"
    static let names = ["a", "b", "c", "nobody", deleted, token]
    /// Of all of them, in both environments, about a name and about anything.
    static let questions: [CustomerQuestion] = names.flatMap { name in
        [AppStoreEnvironment.production, .sandbox].flatMap { environment in
            ["pro", nil].map { CustomerQuestion(CustomerID(name)!, environment: environment, entitlement: $0) }
        }
    }

    let node: Node
    let service: SubscriptionService
    var random: SeededGenerator
    /// What is deleted is not known of the past either.
    var deletes = true
    var lives: [TestSubscription] = []

    mutating func next() async throws {
        let customer = CustomerID(Self.names.randomElement(using: &self.random)!)!
        switch Int.random(in: 0..<12, using: &self.random) {
        case 0 where self.lives.count < 12: try await self.buy()
        case 0, 1: try await self.hear()
        case 2, 3: await self.link(customer)
        case 4: await self.grant(customer)
        case 5:
            let other = CustomerID(Self.names.randomElement(using: &self.random)!)!
            guard Int.random(in: 0..<4, using: &self.random) == 0 else { return }
            _ = try? await self.service.move(customer, to: other, actor: nil)
        case 6: _ = try? await self.service.change(CustomerRequest(customer, .set(["plan": .text("gold")])))
        case 7, 8: await self.register(customer)
        case 9:
            guard self.deletes, Int.random(in: 0..<6, using: &self.random) == 0 else { return }
            _ = try? await self.service.delete(CustomerID(Self.deleted)!, actor: nil)
        case 10: await self.undo(customer)
        default:
            let hours = Int64.random(in: 1...200, using: &self.random)
            self.node.clock.advance(to: self.node.clock.now + .hours(hours))
        }
    }

    private mutating func buy() async throws {
        var life = TestSubscription(id: "\(self.lives.count + 1)", from: self.node.clock.now)
        var bought = life.subscribe()
        switch Int.random(in: 0..<6, using: &self.random) {
        case 0: bought.period?.appAccountToken = Self.token
        case 1: bought.period?.appAccountToken = Self.tokens.randomElement(using: &self.random)
        case 2: bought.environment = .sandbox
        case 3, 4: bought.period?.predecessor = self.lives.randomElement(using: &self.random)?.id
        default: break
        }
        if Bool.random(using: &self.random) {
            bought.period?.appTransactionID = Self.accounts.randomElement(using: &self.random)
        }
        self.lives.append(life)
        let link = Bool.random(using: &self.random) ? LinkRequest(CustomerID("a")!, origin: .post) : nil
        _ = try? await self.service.record(
            signedTransaction: try self.node.apple.transaction(bought), signedRenewalInfo: nil, link: link)
    }

    private static let tokens = ["1", "2"].map { "b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a0\($0)" }
    private static let accounts = ["7041", "7042"]

    private mutating func register(_ customer: CustomerID) async {
        let texts = [Self.token] + Self.tokens
        let identifiers =
            texts.compactMap { RegistrableIdentifier(.token, $0) }
            + Self.accounts.map(RegistrableIdentifier.account)
        let identifier = identifiers.randomElement(using: &self.random)!
        if Int.random(in: 0..<3, using: &self.random) == 0 {
            try? await self.service.release(identifier, of: customer, actor: nil)
        } else {
            try? await self.service.register([identifier], for: customer, actor: nil)
        }
    }

    private mutating func undo(_ customer: CustomerID) async {
        let view = try? await self.service.customer(customer, in: .production, atLeast: nil, withHistory: true)
        guard let events = view?.history, !events.isEmpty else { return }
        // Moves above all.
        let event = events.first { $0.event.kind == .moved } ?? events.randomElement(using: &self.random)!
        _ = try? await self.service.undo(event.id, of: customer, actor: "care", reason: nil)
    }

    private mutating func hear() async throws {
        guard let place = self.lives.indices.randomElement(using: &self.random) else { return }
        self.lives[place].wait(.days(Int64.random(in: 0...9, using: &self.random)))
        let told =
            switch Int.random(in: 0..<4, using: &self.random) {
            case 0: self.lives[place].renew()
            case 1: self.lives[place].failToRenew(grace: .days(6))
            case 2: self.lives[place].refund()
            default: self.lives[place].turnAutoRenew(Bool.random(using: &self.random))
            }
        self.node.clock.advance(to: told.signed)
        _ = try await self.service.ingest(signedPayload: try self.node.apple.sign(told))
    }

    private mutating func link(_ customer: CustomerID) async {
        let id = Int.random(in: 1...max(1, self.lives.count), using: &self.random)
        let environment = [AppStoreEnvironment.production, .sandbox].randomElement(using: &self.random)!
        let request = LinkRequest(
            customer, origin: .backend, action: Int.random(in: 0..<4, using: &self.random) == 0 ? .unlink : .link)
        try? await self.service.link(StreamReference(id: "\(id)", environment: environment), request)
    }

    private mutating func grant(_ customer: CustomerID) async {
        let until = self.node.clock.now + .days(Int64.random(in: 1...20, using: &self.random))
        let grant = Grant(
            id: "g", entitlement: "pro", reason: "r", source: "web", from: self.node.clock.now,
            until: Bool.random(using: &self.random) ? until : nil,
            environment: Bool.random(using: &self.random) ? .production : .sandbox)
        let content: CustomerRequest.Content =
            Bool.random(using: &self.random)
            ? .revoke(grant: "g") : .grant(grant, startsNow: true, replaces: true)
        _ = try? await self.service.change(CustomerRequest(customer, content, actor: "shop"))
    }
}
