import AppStoreSimulator
import Foundation
import Testing

@Suite struct CorpusTests {
    private func lines(count: Int, factory: LifecycleFactory) async throws -> [String] {
        try await withTemporaryDirectory { path in
            try await Corpus(factory: factory).write(count: count, to: path + "/corpus")
            let text = try String(contentsOfFile: path + "/corpus", encoding: .utf8)
            #expect(text.last == "\n")
            return text.split(separator: "\n").map(String.init)
        }
    }

    @Test(arguments: [1, 700, 1_500]) func hasAsManyLinesAsAsked(count: Int) async throws {
        let lines = try await self.lines(count: count, factory: LifecycleFactory())
        #expect(lines.count == count)
        #expect(lines.allSatisfy { $0.split(separator: ".").count == 3 })
    }

    @Test func isTheSameButForSignatures() async throws {
        let one = try await self.lines(count: 1_000, factory: LifecycleFactory(seed: 3, authority: .make(seed: 1)))
        let other = try await self.lines(count: 1_000, factory: LifecycleFactory(seed: 3, authority: .make(seed: 2)))
        let uuids = try one.map { try DecodedNotification.payload($0)["notificationUUID"] as? String }
        #expect(one != other)
        #expect(uuids == (try other.map { try DecodedNotification.payload($0)["notificationUUID"] as? String }))
        #expect(Set(uuids).count == 1_000)
    }
}
