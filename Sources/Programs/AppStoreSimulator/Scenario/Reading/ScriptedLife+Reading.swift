import Subscriptions

extension ScriptedLife {
    /// A repeating life that rests for less would fill the store with a single customer.
    private static let shortestRound = Milliseconds.hours(1)

    init(_ node: ScenarioNode, products: [Product]) throws(ScenarioError) {
        let section = try ScenarioSection(
            node, "a person", keys: ["name", "story", "customer", "token", "sandbox", "arrives", "life", "repeats"])
        let life = try section.required("life")
        let reader = StepReader(products: products)
        var steps: [Step] = []
        for step in try life.list(of: "acts and pauses") { steps.append(try reader.step(step)) }
        self.init(
            name: try section.required("name").text(), story: try section["story"]?.text() ?? "",
            arrivesAfter: try section["arrives"]?.duration() ?? .seconds(0),
            repeats: try section["repeats"]?.flag() ?? false, steps)
        self.customerID = try section["customer"]?.customerID()
        self.token = try section["token"]?.accountToken()
        self.isInSandbox = try section["sandbox"]?.flag() ?? false
        guard self.steps.contains(where: { if case .act = $0 { true } else { false } }) else {
            throw life.mistake("nothing happens in this life: it needs an act, such as \"- buy: pro.monthly\"")
        }
        guard !self.repeats || self.rests else {
            throw life.mistake("a life that repeats needs a pause, such as \"- after: 30d\"")
        }
    }

    /// Whether its pauses are long enough for one round.
    private var rests: Bool {
        var exact = Milliseconds.seconds(0)
        for step in self.steps {
            switch step {
            case .act: continue
            case .wait(.time(let length)): exact = Milliseconds(rawValue: exact.rawValue + length.rawValue)
            case .wait(.calendar), .wait(.renewals): return true
            }
        }
        return exact >= Self.shortestRound
    }
}
