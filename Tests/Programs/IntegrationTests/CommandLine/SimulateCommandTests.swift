import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct SimulateCommandTests {
    @Test func aCorpusHasALineForEachNotification() async throws {
        // given
        let folder = try TemporaryDirectory()
        let file = folder.file("corpus.jws")

        // when
        let result = try await PerennialProcess.run("simulate", "corpus", "--count", "50", "--out", file, "--seed", "9")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let verified = try await PerennialProcess.run(
            "verify", "--root-ca", file + ".root.cer", "--bundle-id", "com.example.app", "--environment", "Production",
            "--app-apple-id", "1234567890", input: String(lines[0]))

        // then
        #expect(result.status == 0)
        #expect(lines.count == 50)
        #expect(verified.status == 0)
    }

    @Test func itsKeysAreWhatAClientNeeds() async throws {
        // given
        let folder = try TemporaryDirectory()
        let simulator = try PerennialProcess("simulate", "--port", "0", "--keys", folder.path, "--subscribers", "20")
        _ = try await simulator.text(containing: "answers on http://127.0.0.1:")

        // when
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        simulator.interrupt()
        let stopped = await simulator.result()

        // then
        #expect(Set(files).isSuperset(of: ["root.cer", "AuthKey.p8", "store.json"]))
        #expect(stopped.status == 0)
    }
}
