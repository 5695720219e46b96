extension Scenario {
    /// Of a text, in bytes of UTF-8: 1 MiB.
    package static let sizeLimit = 1_048_576

    /// Reads a scenario from YAML. What is left out is as in the default scenario; its people only live where its
    /// products are sold.
    ///
    /// - Parameter file: what to call the text in mistakes.
    /// - Throws: the first mistake, with the place where it stands.
    package init(yaml: String, named file: String) throws(ScenarioError) {
        try self.init(ScenarioNode(yaml: yaml, file: file)) { .default }
    }

    /// - Parameter base: gives what is left out; not asked when nothing is.
    init(_ node: ScenarioNode, orElse base: () -> Scenario) throws(ScenarioError) {
        let section = try ScenarioSection(node, "a scenario", keys: ["grace", "products", "habits", "people"])
        let products = try section["products"].map(Self.products) ?? base().products
        let people: [ScriptedLife]
        if let node = section["people"] {
            people = try Self.people(node, products: products)
        } else {
            people = section["products"] == nil ? base().people : []
        }
        self.init(
            products: products, grace: try section["grace"].map(GracePolicy.init) ?? base().grace,
            habits: try section["habits"].map(Habits.init) ?? Habits(), people: people)
    }

    private static func products(_ node: ScenarioNode) throws(ScenarioError) -> [Product] {
        var products: [Product] = []
        for element in try node.list(of: "products") {
            let product = try Product(element)
            guard !products.contains(where: { $0.id == product.id }) else {
                throw element.mistake("there is a product \"\(product.id)\" already")
            }
            products.append(product)
        }
        guard products.contains(where: { $0.plan != nil }) else {
            throw node.mistake("there has to be a subscription among the products")
        }
        return products
    }

    private static func people(_ node: ScenarioNode, products: [Product]) throws(ScenarioError) -> [ScriptedLife] {
        var people: [ScriptedLife] = []
        for element in try node.list(of: "people") {
            let person = try ScriptedLife(element, products: products)
            guard !people.contains(where: { $0.name == person.name }) else {
                throw element.mistake("there is a \(person.name) already")
            }
            people.append(person)
        }
        return people
    }
}
