import Testing

/// Every order in which the steps of two nodes can happen, tried out on the machines themselves.
@Suite(.serialized) struct OwnershipModelTests {
    @Test(
        "in whatever order things happen, no old owner appends, answers stale state, or answers beside a new one",
        arguments: [("takeover", ModelRules.takeover), ("comeback", .comeback)])
    func isRight(_ name: String, _ rules: ModelRules) {
        // when
        let search = ModelSearch(rules)
        print("\(name): \(search.stateCount) states")
        // then
        #expect(search.counterExample == nil, "\(search.counterExample.map(\.description) ?? "")")
        #expect(search.stateCount > 50_000, "it is not everything that can happen")
    }

    @Test("without any one of the rules something goes wrong", arguments: ModelGuards.all)
    func everyRuleIsNeeded(_ rule: ModelGuards.Guard) {
        // given
        var rules = rule.rules
        rules.guards[keyPath: rule.isOn] = false
        // when
        let search = ModelSearch(rules)
        // then
        #expect(search.counterExample != nil, "nobody misses it in \(search.stateCount) states")
    }
}
