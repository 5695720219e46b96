import AppStoreSimulator
import Foundation

extension Scenario {
    /// The scenario of `--scenario FILE`; the default one without.
    /// - Throws: one line for a file that cannot be read, and for the first mistake in it.
    static func read(_ path: String?) throws(CommandFailure) -> Scenario {
        guard let path else { return .default }
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            let bytes = try file.read(upToCount: Self.sizeLimit + 1) ?? Data()
            guard bytes.count <= Self.sizeLimit else { throw ScenarioError(file: path, message: "longer than 1 MiB") }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ScenarioError(file: path, message: "not text in UTF-8")
            }
            return try Scenario(yaml: text, named: path)
        } catch let error as ScenarioError {
            throw CommandFailure("\(error)")
        } catch {
            throw CommandFailure("\(path): \(FileProblem(error).sentence)")
        }
    }
}
