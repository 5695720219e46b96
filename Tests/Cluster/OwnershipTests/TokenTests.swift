import EventLog
import Ownership
import Testing

@Suite struct TokenTests {
    private let store = StoreStamp(StoreIdentity(storeID: 0xFEDC_BA98_7654_3210, restoreGeneration: 3, shardCount: 256))

    private func position(_ shard: UInt16, _ sequence: Int64, _ tag: UInt32) -> Position {
        Position(shard: ShardID(rawValue: shard), sequence: LogSequence(rawValue: sequence), incarnationTag: tag)
    }

    @Test func givesBackThePositionsInShardOrder() throws {
        // given
        let positions = [
            self.position(255, 1, 7), self.position(0, .max, .max), self.position(4, 12_345, 7), self.position(9, 0, 0),
        ]
        // when
        let token = PositionToken(store: self.store, positions: positions)
        let read = try #require(PositionToken(text: token.text))
        // then: a shard without an event is as good as not mentioned
        #expect(read == token)
        #expect(read.positions.map(\.shard.rawValue) == [0, 4, 255])
        #expect(read.store == self.store)
    }

    @Test func `of a shard that is named more than once the furthest position counts`() {
        let positions = [
            self.position(4, 7, 1), self.position(0, 1, 1), self.position(4, 9, 1), self.position(4, 8, 1),
        ]
        let token = PositionToken(store: self.store, positions: positions)
        #expect(token.positions == [self.position(0, 1, 1), self.position(4, 9, 1)])
        #expect(PositionToken(text: token.text) == token)
    }

    @Test func aTokenWithoutPositionsIsAToken() {
        let token = PositionToken(store: self.store, positions: [])
        #expect(PositionToken(text: token.text) == token)
    }

    @Test func aCursorOverAllShardsFitsInFourKilobytes() {
        // given: 256 shards with a hundred million events each, written by 64 different incarnations
        let positions = (0..<256).map { self.position($0, 100_000_000 + Int64($0), UInt32.max - UInt32($0 % 64)) }
        // when
        let text = PositionToken(store: self.store, positions: positions).text
        // then
        #expect(text.utf8.count <= 4_096)
        #expect(PositionToken(text: text)?.positions == positions)
    }

    @Test func aCursorOverAsManyShardsAsCanBeIsReadBack() {
        // given: 4,096 shards with four trillion events each, all written by different incarnations
        let newest: Int64 = (1 << 42) - 1
        let positions = (0..<4_096).map { self.position($0, newest - Int64($0), UInt32.max - UInt32($0)) }
        // when
        let text = PositionToken(store: self.store, positions: positions).text
        // then: what is taken is hardly more than that
        #expect(PositionToken(text: text)?.positions == positions)
        #expect((PositionToken.longestText - 200...PositionToken.longestText).contains(text.utf8.count))
    }

    @Test func tellsStoresAndRestoresApart() {
        let restored = StoreStamp(
            StoreIdentity(storeID: 0xFEDC_BA98_7654_3210, restoreGeneration: 4, shardCount: 256))
        let other = StoreStamp(StoreIdentity(storeID: 1, restoreGeneration: 3, shardCount: 256))
        #expect(self.store != restored)
        #expect(self.store != other)
        #expect(
            PositionToken(text: PositionToken(store: restored, positions: []).text)?.store == restored)
    }

    @Test func anyAlteredCharacterIsNoticed() {
        // given
        let text = PositionToken(store: self.store, positions: [self.position(3, 77, 5)]).text
        for index in text.utf8.indices {
            // when
            var altered = Array(text.utf8)
            let place = text.utf8.distance(from: text.utf8.startIndex, to: index)
            altered[place] = altered[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            // then
            #expect(PositionToken(text: String(decoding: altered, as: UTF8.self)) == nil)
        }
    }

    @Test(arguments: ["", "A", "====", "AAAA", "a b", "é", "tooLong"])
    func refusesWhatIsNoToken(_ case: String) {
        let text = `case` == "tooLong" ? String(repeating: "A", count: PositionToken.longestText + 1) : `case`
        #expect(PositionToken(text: text) == nil)
        #expect(PageCursor(text: text) == nil)
    }

    @Test func aPageCursorKeepsItsPlace() throws {
        // given
        let cursor = PageCursor(
            store: self.store, position: self.position(17, 99, 0xABCD_EF01), key: [3, 0, 255],
            version: StreamVersion(rawValue: 12))
        // when
        let read = try #require(PageCursor(text: cursor.text))
        // then
        #expect(read == cursor)
        #expect(read.token.positions == [self.position(17, 99, 0xABCD_EF01)])
        #expect(PositionToken(text: cursor.text) == nil, "one kind of text is not taken for the other")
    }
}
