import Entitlements
import EventLog
import Mirroring
import PerennialTestSupport
import Subscriptions
import Testing

@Suite struct MirrorIDTests {
    @Test(
        "only what is written like a number is one",
        arguments: [
            "0", "1", "9", "10", "2000000000000001", "9999999999999999999", "18446744073709551615",
        ])
    func decimal(_ id: String) { #expect(MirrorID(id) == UInt64(id).map(MirrorID.decimal)) }

    @Test(
        "every other id is kept as it is",
        arguments: [
            "", "00", "01", "007", "18446744073709551616", "99999999999999999999", "100000000000000000000", "-1", "+1",
            "1.0",
            " 1", "1 ", "1a", "a", "١٢", "2000000000000001\n", String(repeating: "7", count: 128), "mass:1",
        ])
    func text(_ id: String) { #expect(MirrorID(id) == .text(Array(id.utf8))) }

    @Test("a number is read from exactly the bytes that write it", arguments: 0..<8)
    func anyCharacters(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            // Digits, and at some place now and then what is close to one in its bits.
            var id = Array(random.text(.random(in: 0...24, using: &random), of: SeededGenerator.digits).utf8)
            if !id.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                let near: [UInt8] = [0x2F, 0x3A, 0x3F, 0x20, 0x70, 0xB0, 0xB9, 0x00, 0xFF, 0x41]
                id[id.indices.randomElement(using: &random)!] = near.randomElement(using: &random)!
            }
            let number = UInt64(String(decoding: id, as: UTF8.self)).flatMap { Array("\($0)".utf8) == id ? $0 : nil }
            #expect(MirrorID(utf8: id[...]) == number.map(MirrorID.decimal) ?? .text(id))
        }
    }

    @Test("no two ids are taken for each other, and all are found")
    func allKinds() throws {
        var random = SeededGenerator(seed: 5)
        // Given ids that look like each other.
        var ids: Set<String> = ["0", "00", "000", "18446744073709551615", "18446744073709551616"]
        for _ in 0..<400 {
            let number = String(UInt64.random(in: 0...UInt64.max, using: &random))
            ids.formUnion([number, "0" + number, number + "0", "-" + number, number + "a", String(number.dropLast())])
            ids.insert(random.text(.random(in: 1...300, using: &random), of: SeededGenerator.base64))
            ids.insert(random.text(.random(in: 1...3, using: &random), of: SeededGenerator.digits))
        }
        let fixture = MirrorFixture()
        let listed = ids.sorted()
        let (stored, absent) = (listed.indices.filter { $0 % 2 == 0 }, listed.indices.filter { $0 % 2 == 1 })
        // When every second one is there
        for index in stored {
            try fixture.apply(MirrorFixture.key(listed[index]), .simple(Int64(index) + 1))
        }
        // Then each has its own row, and the others have none.
        for index in stored {
            #expect(fixture.check(MirrorFixture.key(listed[index])).version.rawValue == Int64(index) + 1)
        }
        for index in absent { #expect(fixture.check(MirrorFixture.key(listed[index])).outcome == .unknown) }
        for index in stored {
            #expect(fixture.check(MirrorFixture.key(listed[index], kind: .purchase)).outcome == .unknown)
        }
    }

    @Test("bytes that are no UTF-8 are an id like any other")
    func anyBytes() throws {
        let fixture = MirrorFixture()
        for number in 1...40 {
            let id: [UInt8] = [0xFF, UInt8(number), 0xC0] + [UInt8](repeating: 0x80, count: number)
            let key = [1] + id + [0] + Array("Production".utf8) + [0] + Array("a".utf8)
            try fixture.mirror.apply(key: key, .simple(Int64(number)), in: ShardID(rawValue: 3))
        }
        for number in 1...40 {
            let id: [UInt8] = [0xFF, UInt8(number), 0xC0] + [UInt8](repeating: 0x80, count: number)
            let scope = fixture.mirror.scope(.production)
            let answer = fixture.mirror.check(MirrorQuestion(MirrorID(utf8: id[...]), in: scope), at: fixture.time())
            #expect(answer.version.rawValue == Int64(number))
            let shorter = MirrorQuestion(MirrorID(utf8: id.dropLast()), in: scope)
            #expect(fixture.mirror.check(shorter, at: fixture.time()).outcome == .unknown)
        }
    }
}
