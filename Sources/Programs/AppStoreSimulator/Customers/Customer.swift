import Subscriptions

/// One person and everything they buy. The same seed and number give the same life.
struct Customer: Sendable {
    /// Whose turn it is.
    private enum Turn {
        case subscription(Int), purchase(Int), token(Int), act
    }

    /// What an act is about that does not say it: whatever was bought last.
    private enum Target {
        case subscription(Int), purchase(Int)
    }

    let profile: CustomerProfile
    private let rules: StoreRules
    private let arrival: Moment
    private var random: SeededGenerator
    private var conduct: Conduct
    /// One for each group.
    var subscriptions: [SubscriptionLife] = []
    var purchases: [OneTimeLife] = []
    private var tokens: [ExternalTokenLife] = []
    private var target: Target?
    private var cardPays = true
    /// What the publisher's backend has learnt of them and has not been asked for.
    private var news: [BackendTip] = []

    /// A member of the crowd.
    init(index: Int, habits: Habits, rules: StoreRules, seed: UInt64, arrivesAt moment: Moment) {
        self.init(index: index, rules: rules, seed: seed, arrivesAt: moment) { random in
            Conduct(habits, products: rules.products, from: moment, random: SeededGenerator(seed: random.next()))
        }
    }

    /// One whose life has been written down.
    init(index: Int, life: ScriptedLife, rules: StoreRules, seed: UInt64, simulationStart: Moment) {
        let moment = simulationStart + life.arrivesAfter
        self.init(index: index, rules: rules, seed: seed, arrivesAt: moment, as: life) { _ in
            Conduct(life, from: moment)
        }
    }

    private init(
        index: Int, rules: StoreRules, seed: UInt64, arrivesAt moment: Moment, as life: ScriptedLife? = nil,
        conduct: (inout SeededGenerator) -> Conduct
    ) {
        var random = SeededGenerator(seed: seed, stream: UInt64(index))
        var profile = CustomerProfile(index: index, random: &random)
        if let life, life.saysItsToken { profile = profile.buying(with: life.appAccountToken) }
        profile.arrival = moment
        profile.environment = life?.isInSandbox == true && rules.environment != .sandbox ? .sandbox : nil
        self.profile = profile
        self.rules = rules.applied(in: profile.environment)
        self.arrival = moment
        self.conduct = conduct(&random)
        self.random = random
    }

    var nextDue: Moment? { self.nextTurn?.due }

    private var nextTurn: (due: Moment, turn: Turn)? {
        var next: (due: Moment, turn: Turn)?
        func consider(_ due: Moment?, _ turn: Turn) {
            guard let due, due < next?.due ?? .distantFuture else { return }
            next = (due, turn)
        }
        for (index, life) in self.subscriptions.enumerated() { consider(life.nextDue, .subscription(index)) }
        for (index, life) in self.purchases.enumerated() { consider(life.nextDue, .purchase(index)) }
        for (index, life) in self.tokens.enumerated() { consider(life.nextDue, .token(index)) }
        consider(self.conduct.nextDue, .act)
        return next
    }

    /// What the store says because of what is due next; often nothing.
    mutating func next() -> [StoreNotification] {
        guard let (moment, turn) = self.nextTurn else { return [] }
        switch turn {
        case .subscription(let index):
            let told = self.subscriptions[index].next()
            self.notice(index, at: moment)
            return told
        case .purchase(let index): return self.purchases[index].next()
        case .token(let index): return self.tokens[index].next()
        case .act:
            let told = self.conduct.next().map { self.perform($0, at: moment) } ?? []
            self.conduct.performed(renewals: self.targetIndex.map { self.subscriptions[$0].renewals } ?? 0)
            return told
        }
    }

    mutating func perform(_ act: Act, at moment: Moment) -> [StoreNotification] {
        switch act {
        case .buy(let id, _):
            guard let product = self.rules.product(id) else { return [] }
            guard let plan = product.plan else { return self.buyOnce(product, at: moment) }
            let index = self.subscription(in: plan.group)
            self.target = .subscription(index)
            return self.perform(act, on: index, at: moment)
        case .externalToken(let isReported):
            var token = ExternalTokenLife(
                isReported: isReported, at: moment, random: SeededGenerator(seed: self.random.next()))
            defer { self.tokens.append(token) }
            return [token.create()]
        case .rescindConsent:
            return [self.rescindConsent(at: moment)]
        case .refund(let refund):
            if case .purchase(let index) = self.target { return self.purchases[index].ask(for: refund, at: moment) }
            return self.performOnTarget(act, at: moment)
        case .reverseRefund:
            if case .purchase(let index) = self.target { return self.purchases[index].reverseRefund(at: moment) }
            return self.performOnTarget(act, at: moment)
        case .extendEverybody(_, let fails):
            guard let index = self.targetIndex else { return [] }
            let told = self.perform(act, on: index, at: moment)
            return told.isEmpty ? [] : told + [self.extensionSummary(of: index, fails: fails, at: moment)]
        case .fail, .pay:
            self.cardPays = act == .pay
            return self.subscriptions.indices.flatMap { self.perform(act, on: $0, at: moment) }
        case .tellBackend(let news):
            self.news.append(BackendTip(customer: self.profile.index, news: news, bought: self.newestPurchaseID))
            return []
        case .cancel, .resume, .change, .keep, .redeem, .consent, .share, .unshare, .raisePrice, .extend,
            .withdraw, .lapse, .migrate, .changeMetadata, .changePrice:
            return self.performOnTarget(act, at: moment)
        }
    }

    /// The subscription that was bought last, by its last purchase.
    private var targetIndex: Int? {
        guard case .subscription(let index) = self.target else { return self.subscriptions.indices.last }
        return index
    }

    /// What the backend has learnt since this was last asked.
    mutating func takeNews() -> [BackendTip] {
        defer { self.news = [] }
        return self.news
    }

    /// The `originalTransactionId` of what was bought last.
    private var newestPurchaseID: String? {
        if case .purchase(let index) = self.target { return self.purchases[index].truth.originalTransactionID }
        guard let index = self.targetIndex, !self.subscriptions[index].purchaser.transactions.isEmpty else {
            return nil
        }
        return self.subscriptions[index].purchaser.truth.originalTransactionID
    }

    private mutating func performOnTarget(_ act: Act, at moment: Moment) -> [StoreNotification] {
        self.targetIndex.map { self.perform(act, on: $0, at: moment) } ?? []
    }

    mutating func perform(_ act: Act, on index: Int, at moment: Moment) -> [StoreNotification] {
        let told = self.subscriptions[index].perform(act, at: moment)
        self.notice(index, at: moment)
        return told
    }

    private mutating func notice(_ index: Int, at moment: Moment) {
        guard self.subscriptions[index].periods > 0, index == self.targetIndex else { return }
        self.conduct.notice(self.subscriptions[index], at: moment)
    }

    /// The customer's subscription in a group; one original transaction id for ever.
    private mutating func subscription(in group: String) -> Int {
        if let index = self.subscriptions.firstIndex(where: { $0.group == group }) { return index }
        let account = SubscriptionAccount(
            profile: self.profile, ownership: .purchased,
            numbers: TransactionNumbers(customer: self.profile.index, chain: self.subscriptions.count, account: 0),
            random: SeededGenerator(seed: self.random.next()))
        var life = SubscriptionLife(
            group: group, rules: self.rules, account: account, random: SeededGenerator(seed: self.random.next()))
        life.cardPays = self.cardPays
        self.subscriptions.append(life)
        return self.subscriptions.count - 1
    }

    private mutating func buyOnce(_ product: Product, at moment: Moment) -> [StoreNotification] {
        guard self.cardPays else { return [] }
        let id = TransactionNumbers.oneTime(customer: self.profile.index).transactionID(self.purchases.count + 1)
        var life = OneTimeLife(
            profile: self.profile, buys: product, id: id, at: moment,
            random: SeededGenerator(seed: self.random.next()))
        if let due = self.conduct.refundOfPurchase(at: moment) { life.askForRefund(at: due) }
        let told = life.buy()
        self.purchases.append(life)
        if self.conduct.isScripted { self.target = .purchase(self.purchases.count - 1) }
        return [told]
    }

    private mutating func rescindConsent(at moment: Moment) -> StoreNotification {
        StoreNotification(
            type: "RESCIND_CONSENT", subtype: nil, uuid: self.random.uuid(), signedDate: moment,
            content: .appTransaction(self.profile, originalPurchaseDate: self.arrival))
    }

    func subscribes(to product: Product) -> Bool {
        self.subscriptions.contains { $0.isInService && $0.product == product }
    }

    /// The customer's part in an extension of everybody's renewal date.
    mutating func extend(
        _ product: Product, by duration: Milliseconds, fails: Bool, at moment: Moment
    ) -> [StoreNotification] {
        guard let index = self.subscriptions.firstIndex(where: { $0.isInService && $0.product == product }) else {
            return []
        }
        return self.perform(.extendEverybody(by: duration, fails: fails), on: index, at: moment)
    }

    /// Of an extension that reached nobody else.
    private mutating func extensionSummary(of index: Int, fails: Bool, at moment: Moment) -> StoreNotification {
        .extensionSummary(
            StoreNotification.ExtensionSummary(
                requestIdentifier: self.random.uuid(),
                productID: self.subscriptions[index].product.id, storefronts: [self.profile.storefront.country],
                succeeded: fails ? 0 : 1, failed: fails ? 1 : 0), at: moment, random: &self.random)
    }

    /// Of all that was bought so far.
    var books: [Book] {
        let subscriptions = self.subscriptions.flatMap(\.accounts).map { Book.subscription($0) }
        return subscriptions.filter { !$0.truth.isEmpty } + self.purchases.map { Book.purchase($0) }
    }

    var truths: [Truth] { self.books.map(\.truth) }
}

extension StoreNotification {
    /// Minutes after what it sums up.
    static func extensionSummary(
        _ summary: ExtensionSummary, at moment: Moment, random: inout SeededGenerator
    ) -> StoreNotification {
        StoreNotification(
            type: "RENEWAL_EXTENSION", subtype: "SUMMARY", uuid: random.uuid(),
            signedDate: moment + .seconds(random.within(120...600)), content: .extensionSummary(summary))
    }

    static func test(at moment: Moment, random: inout SeededGenerator) -> StoreNotification {
        StoreNotification(type: "TEST", subtype: nil, uuid: random.uuid(), signedDate: moment, content: .test)
    }
}
