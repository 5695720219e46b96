import EventLog
import Testing

extension StoreContract {
    static let bookmarks = [
        StoreContract("a bookmark says what was last written, and none that was never written is there") { store in
            #expect(try await store.bookmarks(["a"]) == [:])
            try await store.setBookmarks(["a": [1], "b": [2, 0, 255]])
            try await store.setBookmarks(["a": [3, 4], "c": [5]])
            #expect(
                try await store.bookmarks(["c", "x", "a", "b", "a"]) == ["a": [3, 4], "b": [2, 0, 255], "c": [5]])
            #expect(try await store.bookmarks(["b"]) == ["b": [2, 0, 255]])
            // Nothing to write or to read is no error.
            try await store.setBookmarks([:])
            #expect(try await store.bookmarks([]) == [:])
        },
        StoreContract("an empty value removes a bookmark, until it is written again") { store in
            try await store.setBookmarks(["a": [1], "b": [2]])
            try await store.setBookmarks(["a": [], "b": [3], "never": []])
            #expect(try await store.bookmarks(["a", "b", "never"]) == ["b": [3]])
            try await store.setBookmarks(["a": []])
            try await store.setBookmarks(["a": [4], "b": []])
            #expect(try await store.bookmarks(["a", "b"]) == ["a": [4]])
        },
        StoreContract("a bookmark's name is any text, told apart by its bytes") { store in
            let names = [
                " ", "a", "A", "a ", "'; DROP TABLE bookmark; --", "\"", "\\x61", "%", "_", "\n", "\u{0}", "a\u{0}b",
                "ä", "🙂", "history/app.example.one/Sandbox",
            ]
            let values = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, [UInt8($0 + 1)]) })
            try await store.setBookmarks(values)
            #expect(try await store.bookmarks(names) == values)
            for name in names { #expect(try await store.bookmarks([name]) == [name: values[name]]) }
            // The same letter, in two bytes more.
            #expect(try await store.bookmarks(["a\u{308}"]) == [:])
        },
        StoreContract("bookmarks are listed by what their names begin with, in pages") { store in
            let names = ["w", "we", "we/", "we/a", "we/a/1", "we/b", "we/ä", "we/🙂", "weA", "x", "v/we/a"]
            try await store.setBookmarks(Dictionary(uniqueKeysWithValues: names.map { ($0, Array($0.utf8)) }))
            try await store.setBookmarks(["we/b": []])

            let expected = ["we/", "we/a", "we/a/1", "we/ä", "we/🙂"]
            var listed: [Bookmark] = []
            while true {
                let page = try await store.bookmarks(startingWith: "we/", after: listed.last?.name, limit: 2)
                listed += page
                guard page.count == 2 else { break }
            }
            #expect(listed.map(\.name) == expected)
            #expect(listed.allSatisfy { $0.value == Array($0.name.utf8) })
            // Before the first and behind the last.
            #expect(try await store.bookmarks(startingWith: "we/", after: "a", limit: 9).map(\.name) == expected)
            #expect(try await store.bookmarks(startingWith: "we/", after: "we0", limit: 9).isEmpty)
            #expect(try await store.bookmarks(startingWith: "y", after: nil, limit: 9).isEmpty)
        },
        StoreContract("a bookmark has 512 bytes of name and 4096 of value, and no more") { store in
            let name = String(repeating: "ä", count: 256)
            let value = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
            try await store.setBookmarks([name: value])
            #expect(try await store.bookmarks([name]) == [name: value])
            for wrong in [["": [1]], [name + "x": [1]], ["y": value + [1]]] as [[String: [UInt8]]] {
                await #expect {
                    try await store.setBookmarks(wrong.merging(["z": [1]]) { $1 })
                } throws: { error in
                    (error as? StoreError)?.code == .conflict
                }
            }
            #expect(try await store.bookmarks([name, "y", "z"]) == [name: value])
        },
        StoreContract("of bookmarks that are written together nobody reads a part, whoever else writes them") { store in
            // So many that two writers would meet in the middle, if they did not go through them in one order.
            let names = (0..<200).map { "name \($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        for round in 0..<Self.rounds {
                            // Every third call removes all.
                            let value = round % 3 == 2 ? [] : [UInt8(lane), UInt8(round)]
                            try await store.setBookmarks(Dictionary(uniqueKeysWithValues: names.map { ($0, value) }))
                        }
                    }
                }
                for _ in 0..<2 {
                    group.addTask { for _ in 0..<Self.rounds { try await Self.expectWhole(names, in: store) } }
                }
                try await group.waitForAll()
            }
            try await Self.expectWhole(names, in: store)
        },
        StoreContract("a bookmark is replaced by whoever knows what it says, but for one that is gone") { store in
            try await store.setBookmarks(["a": [1], "b": [1]])
            #expect(try await store.replaceBookmark("a", [1], with: [2, 0]))
            #expect(try await !store.replaceBookmark("a", [1], with: [3]))
            #expect(try await !store.replaceBookmark("a", [2], with: [3]))
            #expect(try await !store.replaceBookmark("never", [1], with: [3]))
            #expect(try await store.bookmarks(["a", "b", "never"]) == ["a": [2, 0], "b": [1]])

            try await store.setBookmarks(["a": []])
            #expect(try await !store.replaceBookmark("a", [2, 0], with: [3]))
            #expect(try await store.bookmarks(["a", "b"]) == ["b": [1]])

            let long = [UInt8](repeating: 1, count: Bookmarks.longestValue + 1)
            for (old, new) in [([], [1]), ([1], []), ([1], long)] as [([UInt8], [UInt8])] {
                await #expect {
                    _ = try await store.replaceBookmark("b", old, with: new)
                } throws: { error in
                    (error as? StoreError)?.code == .conflict
                }
            }
            #expect(try await store.bookmarks(["b"]) == ["b": [1]])
        },
        StoreContract("a bookmark is kept by the first who writes it, and the others learn what it says") { store in
            #expect(try store.keepBookmark("a", [1, 0]) == [1, 0])
            #expect(try store.keepBookmark("a", [2]) == [1, 0])
            #expect(try await store.bookmarks(["a"]) == ["a": [1, 0]])
            try await store.setBookmarks(["a": []])
            #expect(try store.keepBookmark("a", [3]) == [3])
            #expect(throws: StoreError.self) { try store.keepBookmark("b", []) }
            let kept = try await Self.onThreads(4) { lane in try store.keepBookmark("race", [UInt8(lane + 1)]) }
            #expect(Set(kept).count == 1)
        },
        StoreContract("of several that replace what a bookmark says, one does") { store in
            try await store.setBookmarks(["count": [1]])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<Self.rounds { try await Self.count("count", in: store) } }
                }
                try await group.waitForAll()
            }
            #expect(try await store.bookmarks(["count"]) == ["count": [UInt8(1 + 4 * Self.rounds)]])
        },
        StoreContract("bookmarks are written while appends are under way") { store in
            let writer = try StoreWriter(store)
            async let appended: [Void] = Self.onThreads(1) { _ in
                var writer = writer
                for round in 0..<Self.rounds { try writer.append([writer.event([UInt8(round)])]) }
            }
            for round in 0..<Self.rounds { try await store.setBookmarks(["read": [UInt8(round)]]) }
            _ = try await appended
            #expect(try await store.log().count == Self.rounds)
            #expect(try await store.bookmarks(["read"]) == ["read": [UInt8(Self.rounds - 1)]])
        },
    ]

    private static let rounds = 20

    /// Adds one to what a bookmark says.
    private static func count(_ name: String, in store: any EventStore) async throws {
        while true {
            let old = try #require(try await store.bookmarks([name])[name])
            if try await store.replaceBookmark(name, old, with: [old[0] + 1]) { return }
        }
    }

    private static func expectWhole(_ names: [String], in store: any EventStore) async throws {
        let found = try await store.bookmarks(names)
        #expect(found.isEmpty || found.count == names.count && Set(found.values).count == 1, "\(found)")
    }
}
