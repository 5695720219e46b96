import Subscriptions

/// Reads the steps of a life: a word, or a word and its value.
struct StepReader {
    let products: [Product]

    func step(_ node: ScenarioNode) throws(ScenarioError) -> ScriptedLife.Step {
        guard node.scalar == nil || node.isNothing else { return .act(try self.act(node)) }
        guard let pairs = node.pairs, let (name, value) = pairs.first else { throw node.expected("an act or a pause") }
        guard pairs.count == 1 else {
            throw pairs[1].key.mistake("one step, one dash: put \"- \" before \(pairs[1].key.shown)")
        }
        let word = try self.word(name)
        guard !value.isNothing else { return .act(try self.act(name)) }
        guard word != .after else { return .wait(try self.pause(value)) }
        return .act(try self.act(word, name, value))
    }

    private func word(_ node: ScenarioNode) throws(ScenarioError) -> LifeWord {
        guard let word = node.scalar.flatMap(LifeWord.init(rawValue:)) else {
            throw node.unknown("act", among: LifeWord.allCases.map(\.rawValue))
        }
        return word
    }

    /// A word without a value.
    private func act(_ node: ScenarioNode) throws(ScenarioError) -> Act {
        let word = try self.word(node)
        guard let act = word.alone else {
            throw node.mistake("\"\(word.rawValue)\" needs a value, such as \"\(word.example ?? "")\"")
        }
        return act
    }

    /// `30d` is exact, `P1M` of the calendar, `2 renewals` of the subscription.
    private func pause(_ node: ScenarioNode) throws(ScenarioError) -> ScriptedLife.Pause {
        let words = (node.scalar ?? "").split(separator: " ")
        if words.count == 2, words[1] == "renewals" || words[1] == "renewal",
            let count = ScenarioNode.wholeNumber(words[0]), (1...1_000).contains(count)
        {
            return .renewals(count)
        }
        if node.scalar?.first == "P" { return .calendar(try node.calendarPeriod()) }
        guard words.count == 1, let text = words.first, Milliseconds(parsing: String(text)) != nil else {
            throw node.expected("a pause such as 30d, P1M or 2 renewals")
        }
        return .time(try node.duration(.seconds(1)...ScenarioNode.longest))
    }

    private func act(_ word: LifeWord, _ name: ScenarioNode, _ value: ScenarioNode) throws(ScenarioError) -> Act {
        switch word {
        case .buy: return try self.buy(value)
        case .change: return .change(to: try self.subscription(value).id)
        case .redeem: return try self.redeem(value)
        case .refund: return .refund(try Act.Refund(value))
        case .share: return .share(members: try value.number(in: 1...5))
        case .raisePrice:
            let section = try ScenarioSection(value, "a price rise", keys: ["to", "consent"])
            return .raisePrice(
                to: try section.required("to").price(), needsConsent: try section.required("consent").flag())
        case .extend: return .extend(by: try self.extension(value))
        case .extendEverybody:
            guard value.scalar == nil else {
                return .extendEverybody(by: try self.extension(value), fails: false)
            }
            let section = try ScenarioSection(value, "an extension", keys: ["by", "fails"])
            return .extendEverybody(
                by: try self.extension(try section.required("by")), fails: try section["fails"]?.flag() ?? false)
        case .changePrice: return .changePrice(to: try value.price())
        case .externalToken:
            let section = try ScenarioSection(value, "a token", keys: ["reported"])
            return .externalToken(isReported: try section["reported"]?.flag() ?? true)
        case .post: return .tellBackend(try self.post(value))
        case .register: return .tellBackend(.register(from: try value.customerID()))
        case .payOnWeb: return .tellBackend(.payOnWeb(entitlement: try value.identifier()))
        case .after, .cancel, .resume, .keep, .fail, .pay, .consent, .reverseRefund, .unshare, .withdraw,
            .changeMetadata, .migrate, .lapse, .rescindConsent, .leaveWeb:
            throw name.mistake("\"\(word.rawValue)\" stands alone: \"- \(word.rawValue)\"")
        }
    }

    private func buy(_ node: ScenarioNode) throws(ScenarioError) -> Act {
        guard node.scalar == nil else { return .buy(product: try self.product(node).id) }
        let section = try ScenarioSection(node, "a purchase", keys: ["product", "offer"])
        let product = try self.product(try section.required("product"))
        return .buy(
            product: product.id,
            offer: try section["offer"].map { node throws(ScenarioError) in
                try self.offer(node, of: [product])
            })
    }

    private func redeem(_ node: ScenarioNode) throws(ScenarioError) -> Act {
        guard node.scalar == nil else { return .redeem(offer: try self.redeemable(node, of: self.products)) }
        let section = try ScenarioSection(node, "a redemption", keys: ["offer", "product"])
        let offer = try section.required("offer")
        guard let name = section["product"] else {
            return .redeem(offer: try self.redeemable(offer, of: self.products))
        }
        let product = try self.subscription(name)
        return .redeem(offer: try self.redeemable(offer, of: [product]), product: product.id)
    }

    private func post(_ node: ScenarioNode) throws(ScenarioError) -> Act.BackendNews {
        let section = try ScenarioSection(node, "a post", keys: ["as", "restore"])
        return .post(as: try section["as"]?.customerID(), restores: try section["restore"]?.flag() ?? false)
    }

    private func product(_ node: ScenarioNode) throws(ScenarioError) -> Product {
        guard let product = self.products.first(where: { $0.id == node.scalar }) else {
            throw node.unknown("product", among: self.products.map(\.id))
        }
        return product
    }

    private func subscription(_ node: ScenarioNode) throws(ScenarioError) -> Product {
        let product = try self.product(node)
        guard product.plan != nil else { throw node.mistake("\(node.shown) is no subscription") }
        return product
    }

    private func redeemable(_ node: ScenarioNode, of products: [Product]) throws(ScenarioError) -> String {
        let name = try self.offer(node, of: products)
        guard products.contains(where: { $0.plan?.offer(name).map { $0.kind != .winBack } ?? false }) else {
            throw node.mistake("\(node.shown) brings customers back: it belongs to \"buy\"")
        }
        return name
    }

    private func offer(_ node: ScenarioNode, of products: [Product]) throws(ScenarioError) -> String {
        let known = products.flatMap { $0.plan?.offers.compactMap(\.identifier) ?? [] }
        guard let name = node.scalar, known.contains(name) else {
            throw node.unknown(products.count == 1 ? "offer of \(products[0].id)" : "offer", among: known)
        }
        return name
    }

    /// As much as Apple moves a renewal date at once.
    private func `extension`(_ node: ScenarioNode) throws(ScenarioError) -> Milliseconds {
        try node.duration(.days(1)...(.days(90)))
    }
}

extension Act.Refund {
    private static let periods: KeyValuePairs<String, Period> = [
        "present": .present, "previous": .previous, "coming": .coming,
    ]

    /// A period, or a section with it.
    fileprivate init(_ node: ScenarioNode) throws(ScenarioError) {
        guard node.scalar == nil else {
            self.init(try node.choice("period", Self.periods))
            return
        }
        let section = try ScenarioSection(node, "a refund", keys: ["period", "granted", "percentage"])
        self.init(
            try section["period"]?.choice("period", Self.periods) ?? .present,
            isGranted: try section["granted"]?.flag() ?? true,
            percentage: try section["percentage"]?.percentage() ?? 100_000)
    }
}
