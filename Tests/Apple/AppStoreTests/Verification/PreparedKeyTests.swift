import AppStore
import AppStoreSimulator
import Crypto
import Testing

/// A leaf that has signed often is prepared for more of it, by a table of its key: what it accepts has to stay the same.
@Suite struct PreparedKeyTests {
    /// More than a leaf is prepared after.
    private static let many = 100

    @Test func aPreparedLeafAcceptsItsOwnSignaturesAlone() async throws {
        // given
        let store = try TestStore.shared.get()
        let inspector = try PayloadInspector(app: store.app)
        for _ in 0..<Self.many {
            _ = try await inspector.inspect(store.sign(.transaction), as: .transaction, now: TestStore.now)
        }
        func isAccepted(_ jws: [UInt8]) async -> Bool {
            (try? await inspector.inspect(jws, as: .transaction, now: TestStore.now)) != nil
        }
        let good = try store.sign(.transaction)
        let segments = good.split(separator: UInt8(ascii: "."))
        func joined(payload: ArraySlice<UInt8>, signature: ArraySlice<UInt8>) -> [UInt8] {
            Array([segments[0], payload, signature].joined(separator: [UInt8(ascii: ".")]))
        }
        // when its payload, its signature, or who has signed it is another
        let other = try store.sign(.transaction.with("price", "1")).split(separator: UInt8(ascii: "."))
        var changed = segments[2]
        changed[changed.startIndex + 7] = changed[changed.startIndex + 7] == UInt8(ascii: "A") ? 0x42 : 0x41
        let stranger = try PayloadSigner(chain: store.authority.chain, key: P256.Signing.PrivateKey())
            .sign(Payload.transaction.bytes)
        // then
        #expect(await !isAccepted(joined(payload: other[1], signature: segments[2])))
        #expect(await !isAccepted(joined(payload: segments[1], signature: other[2])))
        #expect(await !isAccepted(joined(payload: segments[1], signature: changed)))
        #expect(await !isAccepted(stranger))
        #expect(await isAccepted(good))
        #expect(await isAccepted(joined(payload: other[1], signature: other[2])))
    }
}
