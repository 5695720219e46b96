import AppStoreSimulator
import Perennial
import Subscriptions
import Testing

/// Lives that are lived without a network, and what is printed about them.
@Suite struct LifeStoryTests {
    private static let start = Moment(milliseconds: 1_767_225_600_000)  // 2026-01-01
    private static let end = start.after(.months(24))

    private let factory: LifecycleFactory
    private let reader: LifeReader

    init() throws {
        self.factory = try LifecycleFactory(
            seed: 3, from: Self.start, duration: Milliseconds(rawValue: Self.end.milliseconds - Self.start.milliseconds)
        )
        self.reader = try LifeReader(store: self.factory.store, rootCertificate: self.factory.rootCertificate)
    }

    private func person(_ life: String) throws -> ScriptedLife {
        let yaml = "people: [{ name: Eve, story: a test, life: [\(life)] }]"
        return try #require(try Scenario(yaml: yaml, named: "test").people.first)
    }

    private func chapters(of person: ScriptedLife) async throws -> [[LifeMoment]] {
        var chapters: [[LifeMoment]] = []
        for lifecycle in try self.factory.lifecycles(of: person, number: 0) {
            chapters.append(
                try await self.reader.moments(of: lifecycle, until: Self.end))
        }
        return chapters
    }

    private func story(of person: ScriptedLife) async throws -> LifeStory {
        LifeStory(
            person: person,
            chapters: try await self.chapters(of: person).enumerated().map { number, moments in
                LifeStory.Chapter(originalTransactionID: "\(number)", moments: moments)
            })
    }

    @Test(arguments: [
        "{ buy: pro.monthly }, { after: 3d }, cancel, { after: 40d }, { buy: pro.monthly }",
        "{ buy: basic.monthly }, { share: 2 }, { after: 3d }, { change: pro.monthly }, { after: 3d }, unshare",
        "{ buy: pro.monthly }, { after: 1 renewal }, { change: basic.monthly }, { after: 1 renewal }, cancel",
        "{ buy: basic.monthly }, { after: 1 renewal }, fail, { after: P1M }, { after: 20d }, pay",
        "{ buy: basic.monthly }, { after: 9d }, refund, { after: 10d }, reverseRefund",
        "{ buy: pro.monthly }, { after: 1 renewal }, { extend: 9d }, { raisePrice: { to: 12, consent: true } }",
        "{ buy: news.weekly }, { after: 3 renewals }, fail",
        "{ buy: news.weekly }, { after: 1 renewal }, withdraw",
        "{ buy: coins.100 }, { after: 3d }, refund",
        "{ buy: pro.committed }, { after: 1 renewal }, cancel",
        "{ buy: pro.yearly }, { after: 1d }, { redeem: { offer: stay.month, product: pro.monthly } }",
        "{ buy: basic.monthly }, { after: 2 renewals }, lapse",
    ])
    func theAnswersAreTheTruth(_ life: String) async throws {
        let moments = try await self.chapters(of: self.person(life)).flatMap(\.self)

        #expect(!moments.isEmpty)
        for moment in moments { #expect(moment.agrees, "\(moment.at) \(moment.cause)") }
    }

    @Test func whatTimeAloneChangesHasALineOfItsOwn() async throws {
        let lines = try await self.story(of: self.person("{ buy: pro.monthly }, { after: 3d }, cancel")).json

        let told = try lines.map { line in
            let json = try JSONFragment(Array(line.utf8))
            return [json["notificationType"], json["change"], json["state"], json["entitled"]].map { $0?.plain ?? "" }
        }
        #expect(
            told == [
                ["SUBSCRIBED", "", "subscribed", "true"],
                ["DID_CHANGE_RENEWAL_STATUS", "", "subscribed", "true"],
                ["", "expired", "expired", "false"],
                ["EXPIRED", "", "expired", "false"],
            ])
    }

    @Test func aTableStandsUnderTheName() async throws {
        let table = try await self.story(of: self.person("{ buy: basic.monthly }, { after: 3d }, cancel")).table

        #expect(table.first == "Eve: a test")
        let words = table.dropFirst().map { $0.split(separator: " ").map(String.init) }
        #expect(
            words[0] == ["AT", "NOTIFICATION", "STATUS", "PRODUCT", "STATE", "ENTITLED", "VALID", "UNTIL"])
        #expect(
            words[1].dropFirst().dropLast() == ["SUBSCRIBED", "INITIAL_BUY", "1", "basic.monthly", "subscribed", "yes"])
        #expect(words[3].dropFirst() == ["(expired)", "-", "basic.monthly", "expired", "no", "-"])
        #expect(words[3][0] == "2026-02-01T00:00:00.000Z")
        #expect(!table.contains { $0.contains("the truth") })
    }

    @Test func anAnswerThatIsNotTheTruthIsSaid() async throws {
        // given: what is told of one life, with the truth of another
        let told = try self.factory.lifecycles(of: self.person("{ buy: basic.monthly }"), number: 0)[0]
        let other = try self.factory.lifecycles(
            of: self.person("{ buy: basic.monthly }, { after: 3d }, refund"), number: 0)[0]

        // when
        let moments = try await self.reader.moments(
            of: told.notifications, until: Self.end, truth: { other.truth.standing(at: $0)?.state })
        let story = LifeStory(
            person: ScriptedLife(name: "Eve", []),
            chapters: [LifeStory.Chapter(originalTransactionID: "1", moments: moments)])

        // then
        #expect(story.table.last?.hasSuffix("but the truth is revoked") == true)
        #expect(story.json.last?.hasSuffix(#""truth":"revoked","agrees":false}"#) == true)
        #expect(story.json.first?.hasSuffix(#""truth":"subscribed","agrees":true}"#) == true)
    }

    @Test func nothingIsSaidInWords() {
        let story = LifeStory(person: ScriptedLife(name: "Eve", []), chapters: [])

        #expect(story.table == ["Eve", "  Nothing happens in this time."])
        #expect(story.json.isEmpty)
    }
}
