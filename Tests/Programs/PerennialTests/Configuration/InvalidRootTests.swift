import AppStoreSimulator
import Foundation
import Perennial
import Subscriptions
import Testing

@Suite struct InvalidRootTests {
    private let folder: ConfigurationFolder
    /// Of the simulator's root.
    private let end = Moment(milliseconds: 2_187_820_800_000)

    init() throws { self.folder = try ConfigurationFolder() }

    @Test("a root serves to the last second of its time, and after that its app has none")
    func expires() throws {
        let configuration = try self.folder.check(smallest)
        #expect(configuration.invalidRoots(at: self.end).isEmpty)
        let found = try #require(configuration.invalidRoots(at: self.end + .seconds(1)).first)
        #expect(found.leavesNone)
        #expect(found.sentence.hasPrefix("com.example.app: the root certificate CN=Perennial Simulator Root CA"))
        #expect(found.sentence.contains("to 2039-05-01T"))
        #expect(found.sentence.hasSuffix("all notifications that are signed now are refused"))
    }

    @Test("one that has expired beside one that has not is told as well")
    func tellsOneOfTwo() throws {
        // given
        let old = try CertificateAuthority.make(
            seed: 2, root: .root.with { $0.notAfter = 1_700_000_000_000 })
        try self.folder.write("old.cer", Data(old.root.der))
        let configuration = try self.folder.check(smallest.replacing("[root.cer]", with: "[root.cer, old.cer]"))
        // then
        let found = configuration.invalidRoots(at: Moment(milliseconds: 1_760_000_000_000))
        #expect(found.map(\.leavesNone) == [false])
        #expect(configuration.invalidRoots(at: Moment(milliseconds: 1_690_000_000_000)).isEmpty)
    }
}
