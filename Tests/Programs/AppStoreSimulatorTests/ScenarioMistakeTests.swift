import AppStoreSimulator
import Testing

/// Every mistake is one clear sentence, with its place.
@Suite struct ScenarioMistakeTests {
    private func mistake(in yaml: String) -> String? {
        do {
            _ = try Scenario(yaml: yaml, named: "life.yaml")
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("", "life.yaml: there is nothing in it"),
        ("# only words\n", "life.yaml: there is nothing in it"),
        ("[1]", #"life.yaml:1:1: expected a scenario with keys such as "grace", found a list"#),
        ("grace", #"life.yaml:1:1: expected a scenario with keys such as "grace", found "grace""#),
        ("grase: 3d", #"life.yaml:1:1: unknown key "grase"; did you mean "grace"?"#),
        ("{}: 1", #"life.yaml:1:1: unknown key a section; did you mean "grace"?"#),
        ("grace: 5d", #"life.yaml:1:8: expected none, 3d, 16d or 28d, found "5d""#),
        ("grace: [3d]", #"life.yaml:1:8: expected a grace period with keys such as "length", found a list"#),
        ("grace: { includesTrials: yes }", #"life.yaml:1:26: expected true or false, found "yes""#),
        ("grace: 3d\ngrace: 3d", #"life.yaml:1:1: "grace" is written twice in one section"#),
        ("grace: {", "life.yaml:2:1: not valid YAML: did not find expected node content"),
        ("grace: 3d\n---\ngrace: 3d", "life.yaml:2:1: not valid YAML: but found another document"),
        ("grace: &a 3d", "life.yaml:1:8: anchors and aliases are not known here; write it out"),
        ("grace: *a", "life.yaml:1:8: not valid YAML: found undefined alias"),
        ("habits: 0.5", #"life.yaml:1:9: expected habits with keys such as "cardFails", found "0.5""#),
    ])
    func ofAScenario(_ yaml: String, _ message: String) {
        #expect(self.mistake(in: yaml) == message)
    }

    @Test(arguments: [
        ("cardFails: 1.1", "20: expected a probability from 0 to 1, such as 0.25, found \"1.1\""),
        ("cardFails: -0.1", "20: expected a probability from 0 to 1, such as 0.25, found \"-0.1\""),
        ("cardFails: nan", "20: expected a probability from 0 to 1, such as 0.25, found \"nan\""),
        ("cardFails: 0x1p-2", "20: expected a probability from 0 to 1, such as 0.25, found \"0x1p-2\""),
        ("cardFails: [0.1]", "20: expected a probability from 0 to 1, such as 0.25, found a list"),
        ("cardfails: 0.1", "9: unknown key \"cardfails\"; did you mean \"cardFails\"?"),
        ("trial: { cancel: 1 }", "18: unknown key \"cancel\"; did you mean \"cancels\"?"),
        (
            "period: { cancels: 0.9 }",
            "17: these exclude each other, and add up to 1.226 with the defaults of those left out: more than 1"
        ),
        (
            "unpaid: { paysSoon: 0.5, paysLate: 0.5, cancels: 0.001 }",
            "17: these exclude each other, and add up to 1.001 with the defaults of those left out: more than 1"
        ),
    ])
    func ofHabits(_ habit: String, _ message: String) {
        #expect(self.mistake(in: "habits: { \(habit) }") == "life.yaml:1:\(Self.moved(message, by: 2))")
    }

    @Test(arguments: [
        ("{ group: g, period: P1M, price: 1 }", "1: \"id\" is missing"),
        (
            "{ id: a b, group: g, period: P1M, price: 1 }",
            "7: expected an id of up to 100 visible ASCII characters, found \"a b\""
        ),
        ("{ id: a, period: P1M, price: 1 }", "1: \"group\" is missing"),
        ("{ id: a, group: g, price: 1 }", "1: \"period\" is missing"),
        ("{ id: a, group: g, period: P1M }", "1: \"price\" is missing"),
        (
            "{ id: a, group: g, period: 1M, price: 1 }",
            "28: expected a period such as P1W, P1M or P1Y, up to ten years, found \"1M\""
        ),
        (
            "{ id: a, group: g, period: P0M, price: 1 }",
            "28: expected a period such as P1W, P1M or P1Y, up to ten years, found \"P0M\""
        ),
        (
            "{ id: a, group: g, period: P11Y, price: 1 }",
            "28: expected a period such as P1W, P1M or P1Y, up to ten years, found \"P11Y\""
        ),
        (
            "{ id: a, type: consumable, price: 1.9999 }",
            "35: expected a price such as 9.99, with three digits after the point at most, found \"1.9999\""
        ),
        (
            "{ id: a, type: consumable, price: -1 }",
            "35: expected a price such as 9.99, with three digits after the point at most, found \"-1\""
        ),
        (
            "{ id: a, type: consumable, price: 1. }",
            "35: expected a price such as 9.99, with three digits after the point at most, found \"1.\""
        ),
        (
            "{ id: a, type: consumable, price: 1e3 }",
            "35: expected a price such as 9.99, with three digits after the point at most, found \"1e3\""
        ),
        ("{ id: a, type: consumeable, price: 1 }", "16: unknown type \"consumeable\"; did you mean \"consumable\"?"),
        ("{ id: a, type: consumable, price: 1, level: 2 }", "45: only subscriptions have \"level\""),
        (
            "{ id: a, group: g, period: P1M, price: 1, level: 0 }",
            "50: expected a whole number from 1 to 100, found \"0\""
        ),
        (
            "{ id: a, group: g, period: P1M, price: 1, commitment: 1 }",
            "55: expected a whole number from 2 to 120, found \"1\""
        ),
        ("{ id: a, group: g, period: P1M, price: 1, offers: 1 }", "51: expected a list of offers, found \"1\""),
        ("{ id: a, type: consumable, price: 1 }", "0: there has to be a subscription among the products"),
        (
            "{ id: a, type: consumable, price: 1 }, { id: a, type: consumable, price: 1 }",
            "40: there is a product \"a\" already"
        ),
    ])
    func ofAProduct(_ product: String, _ message: String) {
        #expect(self.mistake(in: "products: [\(product)]") == "life.yaml:1:\(Self.moved(message, by: 11))")
    }

    @Test(arguments: [
        ("{ discount: freeTrial, period: P1W }", "1: \"type\" is missing"),
        (
            "{ type: winback, id: w, discount: freeTrial, period: P1W }",
            "9: unknown type \"winback\"; did you mean \"winBack\"?"
        ),
        ("{ type: winBack, discount: freeTrial, period: P1W }", "1: \"id\" is missing"),
        ("{ type: introductory, id: i, discount: freeTrial, period: P1W }", "27: introductory offers have no id"),
        (
            "{ type: introductory, discount: free, period: P1W }",
            "33: unknown discount \"free\"; did you mean \"freeTrial\"?"
        ),
        ("{ type: introductory, discount: freeTrial, period: P1W, price: 1 }", "64: a free trial costs nothing"),
        ("{ type: introductory, discount: payUpFront, period: P1W }", "1: \"price\" is missing"),
        (
            "{ type: introductory, discount: payUpFront, period: P1W, periods: 2, price: 1 }",
            "67: only an offer with discount payAsYouGo has several periods"
        ),
        (
            "{ type: introductory, discount: freeTrial, period: P1W }, { type: introductory, discount: freeTrial, period: P1M }",
            "59: there is an introductory offer already"
        ),
        (
            "{ type: winBack, id: w, discount: freeTrial, period: P1W }, { type: offerCode, id: w, discount: freeTrial, period: P1M }",
            "61: there is an offer \"w\" already"
        ),
    ])
    func ofAnOffer(_ offer: String, _ message: String) {
        let yaml = "products: [{ id: a, group: g, period: P1M, price: 1, offers: [\n\(offer)] }]"
        #expect(self.mistake(in: yaml) == "life.yaml:2:\(message)")
    }

    @Test(arguments: [
        ("cancle", #"4:5: unknown act "cancle"; did you mean "cancel"?"#),
        ("cancle: now", #"4:5: unknown act "cancle"; did you mean "cancel"?"#),
        ("cancel: now", #"4:5: "cancel" stands alone: "- cancel""#),
        ("buy", #"4:5: "buy" needs a value, such as "buy: pro.monthly""#),
        ("after:", #"4:5: "after" needs a value, such as "after: 30d""#),
        ("", "4:4: expected an act or a pause, found nothing"),
        ("[cancel]", "4:5: expected an act or a pause, found a list"),
        ("buy: pro.montly", #"4:10: unknown product "pro.montly"; did you mean "pro.monthly"?"#),
        ("change: coins.100", #"4:13: "coins.100" is no subscription"#),
        ("buy: { product: news.weekly, offer: w }", #"4:41: unknown offer of news.weekly "w"; there are none"#),
        (
            "buy: { product: pro.monthly, offer: winback }",
            #"4:41: unknown offer of pro.monthly "winback"; did you mean "winback.half"?"#
        ),
        ("redeem: stay.mont", #"4:13: unknown offer "stay.mont"; did you mean "stay.month"?"#),
        ("redeem: winback.half", #"4:13: "winback.half" brings customers back: it belongs to "buy""#),
        (
            "redeem: { offer: stay.month, product: pro.yearly }",
            #"4:22: unknown offer of pro.yearly "stay.month"; there are none"#
        ),
        ("share: 6", #"4:12: expected a whole number from 1 to 5, found "6""#),
        ("raisePrice: 3", #"4:17: expected a price rise with keys such as "to", found "3""#),
        ("raisePrice: { to: 3 }", #"4:17: "consent" is missing"#),
        ("extend: 91d", "4:13: has to be from 1d to 90d"),
        ("extend: a week", #"4:13: expected a length of time such as 36h or 14d, found "a week""#),
        ("refund: { percentage: 0 }", #"4:27: expected a percentage above 0, up to 100, such as 50, found "0""#),
        (
            "refund: { percentage: 100.001 }",
            #"4:27: expected a percentage above 0, up to 100, such as 50, found "100.001""#
        ),
        ("refund: last", #"4:13: unknown period "last"; did you mean "present"?"#),
        ("after: 30", #"4:12: expected a pause such as 30d, P1M or 2 renewals, found "30""#),
        ("after: 0s", "4:12: has to be from 1s to 36500d"),
        ("after: 99999999d", "4:12: has to be from 1s to 36500d"),
        (
            "after: 9999999999999999d",
            #"4:12: expected a pause such as 30d, P1M or 2 renewals, found "9999999999999999d""#
        ),
        ("after: 0 renewals", #"4:12: expected a pause such as 30d, P1M or 2 renewals, found "0 renewals""#),
        ("after: P1", #"4:12: expected a period such as P1W, P1M or P1Y, up to ten years, found "P1""#),
        ("cancel\n    after: 3d", "5:10: not valid YAML: mapping values are not allowed in this context"),
        ("share: 2\n    after: 3d", #"5:5: one step, one dash: put "- " before "after""#),
    ])
    func ofAStep(_ step: String, _ message: String) {
        #expect(self.mistake(in: "people:\n- name: Eve\n  life:\n  - \(step)") == "life.yaml:\(message)")
    }

    @Test(arguments: [
        ("{ life: [cancel] }", "1: \"name\" is missing"), ("{ name: Eve }", "1: \"life\" is missing"),
        ("{ name: Eve, life: cancel }", "20: expected a list of acts and pauses, found \"cancel\""),
        (
            "{ name: Eve, life: [] }",
            "20: nothing happens in this life: it needs an act, such as \"- buy: pro.monthly\""
        ),
        (
            "{ name: Eve, life: [after: 1d], repeats: true }",
            "20: nothing happens in this life: it needs an act, such as \"- buy: pro.monthly\""
        ),
        (
            "{ name: Eve, life: [cancel], repeats: true }",
            "20: a life that repeats needs a pause, such as \"- after: 30d\""
        ),
        (
            "{ name: Eve, life: [cancel, after: 59m], repeats: true }",
            "20: a life that repeats needs a pause, such as \"- after: 30d\""
        ),
        ("{ name: Eve, life: [cancel], repeat: true }", "30: unknown key \"repeat\"; did you mean \"repeats\"?"),
        (
            "{ name: Eve, arrives: soon, life: [cancel] }",
            "23: expected a length of time such as 36h or 14d, found \"soon\""
        ),
        ("{ name: \"E\\u0007\", life: [cancel] }", "9: there are control characters in it"),
        ("{ name: Eve, life: [cancel] }, { name: Eve, life: [cancel] }", "32: there is a Eve already"),
    ])
    func ofAPerson(_ person: String, _ message: String) {
        #expect(self.mistake(in: "people: [\n\(person)]") == "life.yaml:2:\(message)")
    }

    @Test func aLongTextIsRefusedUnread() {
        let yaml = "grace: 3d\n#" + String(repeating: "x", count: Scenario.sizeLimit)

        #expect(self.mistake(in: yaml) == "life.yaml: longer than 1 MiB")
    }

    @Test func aDeepTextIsRefused() {
        for (open, close) in [("[", "]"), ("{a: ", "}")] {
            let yaml = "people: " + String(repeating: open, count: 100_000) + String(repeating: close, count: 100_000)
            #expect(self.mistake(in: yaml)?.contains("not valid YAML") == true)
        }
    }

    /// Written out it would have a thousand million elements.
    @Test func aliasesCannotMultiply() {
        let yaml =
            "people:\n- &a0 [x]\n"
            + (1...30).map { "- &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()

        #expect(self.mistake(in: yaml) == "life.yaml:2:3: anchors and aliases are not known here; write it out")
    }

    private static func moved(_ message: String, by columns: Int) -> String {
        let parts = message.split(separator: ":", maxSplits: 1)
        return "\((Int(parts[0]) ?? 0) + columns):\(parts[1])"
    }
}
