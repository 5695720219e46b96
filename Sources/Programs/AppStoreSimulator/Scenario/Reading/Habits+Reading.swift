extension Habits {
    private typealias Keys<Part> = KeyValuePairs<String, WritableKeyPath<Part, Double>>

    private static var keys: Keys<Habits> {
        [
            "cardFails": \.cardFails, "returns": \.returns, "shares": \.shares, "stopsSharing": \.stopsSharing,
            "buysOnce": \.buysOnce, "refundsOnce": \.refundsOnce, "externalToken": \.externalToken,
            "rescindsConsent": \.rescindsConsent, "advancedCommerce": \.advancedCommerce,
        ]
    }
    private static var periodKeys: Keys<Period> {
        [
            "cancels": \.cancels, "cancelsAndResumes": \.cancelsAndResumes, "upgrades": \.upgrades,
            "downgrades": \.downgrades, "downgradesAndKeeps": \.downgradesAndKeeps, "crossgrades": \.crossgrades,
            "redeems": \.redeems, "redeemsToMove": \.redeemsToMove, "refundsPresent": \.refundsPresent,
            "refundsPrevious": \.refundsPrevious, "refundsComing": \.refundsComing, "refundDeclined": \.refundDeclined,
            "refundReversed": \.refundReversed, "priceRisesWithConsent": \.priceRisesWithConsent,
            "priceRisesWithNotice": \.priceRisesWithNotice, "extended": \.extended, "withdrawn": \.withdrawn,
            "lapses": \.lapses,
        ]
    }
    private static var unpaidKeys: Keys<Unpaid> {
        [
            "paysSoon": \.paysSoon, "paysLate": \.paysLate, "cancels": \.cancels,
        ]
    }

    /// The default habits but for what is written.
    init(_ node: ScenarioNode) throws(ScenarioError) {
        self.init()
        let section = try ScenarioSection(
            node, "habits", keys: Self.keys.map(\.key) + ["trial", "period", "unpaid"])
        for (key, path) in Self.keys {
            if let value = section[key] { self[keyPath: path] = try value.probability() }
        }
        if let trial = section["trial"] { try Self.read(trial, "a trial", Self.periodKeys, into: &self.trial) }
        if let period = section["period"] { try Self.read(period, "a period", Self.periodKeys, into: &self.period) }
        if let unpaid = section["unpaid"] {
            try Self.read(unpaid, "what follows a failed charge", Self.unpaidKeys, into: &self.unpaid)
        }
    }

    /// What excludes each other: at most 1 together.
    private static func read<Part>(
        _ node: ScenarioNode, _ what: String, _ keys: Keys<Part>, into part: inout Part
    ) throws(ScenarioError) {
        let section = try ScenarioSection(node, what, keys: keys.map(\.key))
        for (key, path) in keys {
            if let value = section[key] { part[keyPath: path] = try value.probability() }
        }
        let sum = keys.reduce(0) { $0 + part[keyPath: $1.value] }
        guard sum <= 1 + 1e-9 else {
            let thousandths = Int((sum * 1_000).rounded(.up))
            throw node.mistake(
                "these exclude each other, and add up to \(Double(thousandths) / 1_000) with the defaults of those left "
                    + "out: more than 1")
        }
    }
}
