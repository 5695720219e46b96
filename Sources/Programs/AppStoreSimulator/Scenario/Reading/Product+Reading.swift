extension Product {
    private static let planKeys = ["group", "level", "period", "familyShareable", "commitment", "offers"]

    init(_ node: ScenarioNode) throws(ScenarioError) {
        let section = try ScenarioSection(node, "a product", keys: ["id", "type", "price"] + Self.planKeys)
        let id = try section.required("id").identifier()
        let price = try section.required("price").price()
        let kinds: KeyValuePairs<String, Kind?> = [
            "subscription": nil, "consumable": .consumable, "nonConsumable": .nonConsumable,
            "nonRenewing": .nonRenewing,
        ]
        guard let kind = try section["type"]?.choice("type", kinds) ?? nil else {
            self.init(id: id, price: price, kind: .subscription(try SubscriptionPlan(section)))
            return
        }
        if let key = Self.planKeys.first(where: { section[$0] != nil }), let value = section[key] {
            throw value.mistake("only subscriptions have \"\(key)\"")
        }
        self.init(id: id, price: price, kind: kind)
    }
}

extension SubscriptionPlan {
    fileprivate init(_ section: ScenarioSection) throws(ScenarioError) {
        var offers: [Offer] = []
        for node in try section["offers"]?.list(of: "offers") ?? [] {
            let offer = try Offer(node)
            guard !offers.contains(where: { $0.identifier == offer.identifier }) else {
                throw node.mistake(
                    offer.identifier.map { "there is an offer \"\($0)\" already" }
                        ?? "there is an introductory offer already")
            }
            offers.append(offer)
        }
        self.init(
            group: try section.required("group").identifier(), level: try section["level"]?.number(in: 1...100) ?? 1,
            period: try section.required("period").calendarPeriod(), offers: offers,
            commitment: try section["commitment"]?.number(in: 2...120),
            isFamilyShareable: try section["familyShareable"]?.flag() ?? false)
    }
}

extension Offer {
    fileprivate init(_ node: ScenarioNode) throws(ScenarioError) {
        let section = try ScenarioSection(
            node, "an offer", keys: ["type", "id", "discount", "period", "periods", "price"])
        let kind = try section.required("type").choice(
            "type",
            [
                "introductory": Kind.introductory, "promotional": .promotional, "offerCode": .offerCode,
                "winBack": .winBack,
            ])
        let discount = try section.required("discount").choice(
            "discount",
            ["freeTrial": Discount.freeTrial, "payAsYouGo": .payAsYouGo, "payUpFront": .payUpFront])
        if kind == .introductory, let id = section["id"] { throw id.mistake("introductory offers have no id") }
        if discount == .freeTrial, let price = section["price"], try price.price() != 0 {
            throw price.mistake("a free trial costs nothing")
        }
        if discount != .payAsYouGo, let periods = section["periods"], try periods.number(in: 1...120) != 1 {
            throw periods.mistake("only an offer with discount payAsYouGo has several periods")
        }
        self.init(
            kind: kind, identifier: kind == .introductory ? nil : try section.required("id").identifier(),
            discount: discount, period: try section.required("period").calendarPeriod(),
            periods: try section["periods"]?.number(in: 1...120) ?? 1,
            price: discount == .freeTrial ? 0 : try section.required("price").price())
    }
}
