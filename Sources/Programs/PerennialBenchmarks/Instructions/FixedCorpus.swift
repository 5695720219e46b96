import AppStore
import Foundation
import Subscriptions

/// Signed notifications from a file, the same bytes in every run: the first line is the root certificate in base64, each
/// other line one JWS.
struct FixedCorpus: Sendable {
    let notifications: [[UInt8]]
    let app: AppIdentity

    init(path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        guard let first = lines.first, let root = Data(base64Encoded: String(first)), lines.count > 1 else {
            throw BenchmarkError("\(path) is no corpus")
        }
        self.notifications = lines.dropFirst().map { Array($0.utf8) }
        self.app = try .simulated(root: Array(root))
    }

    /// Makes such a file of new signatures: every figure that was recorded with another one has to be recorded anew.
    static func write(to path: String, count: Int) throws {
        let corpus = try SignedCorpus(count: count)
        let lines = corpus.notifications.map { String(decoding: $0, as: UTF8.self) }
        let text = ([Data(corpus.rootCertificate).base64EncodedString()] + lines).joined(separator: "\n") + "\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
