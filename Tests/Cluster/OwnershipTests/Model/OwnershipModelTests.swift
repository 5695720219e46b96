import PerennialTestSupport
import Testing

/// Every order in which the steps of two nodes can happen, tried out on the machines themselves.
@Suite(.serialized) struct OwnershipModelTests {
    @Test(
        "in whatever order things happen, no old owner appends, answers stale state, or answers beside a new one",
        arguments: [("takeover", ModelRules.takeover), ("comeback", .comeback)])
    func isRight(_ name: String, _ rules: ModelRules) async {
        // when
        let (count, example) = await onOwnThread(.searching) {
            let search = ModelSearch(rules)
            return (search.stateCount, search.counterExample?.description)
        }
        print("\(name): \(count) states")
        // then
        #expect(example == nil, "\(example ?? "")")
        #expect(count > 50_000, "it is not everything that can happen")
    }

    @Test("without any one of the rules something goes wrong", arguments: ModelGuards.all)
    func everyRuleIsNeeded(_ rule: ModelGuards.Guard) async {
        // given
        var rules = rule.rules
        rules.guards[keyPath: rule.isOn] = false
        // when
        let (count, example) = await onOwnThread(.searching) { [rules] in
            let search = ModelSearch(rules)
            return (search.stateCount, search.counterExample?.description)
        }
        // then
        #expect(example != nil, "nobody misses it in \(count) states")
    }
}
