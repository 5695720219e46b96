import AppStore
import ArgumentParser
import Foundation
import Shards
import StrictJSON
import Subscriptions

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies what the App Store signed, and prints the decoded payload.",
        discussion: """
            Reads one JWS from FILE, or from standard input. When it is refused, the class and the reason are \
            printed and the exit code is 1.

            Example:
              perennial verify --root-ca AppleRootCA-G3.cer --bundle-id com.example.app --app-apple-id 1234567890 \\
                --environment Production --kind notification payload.jws
            """)

    @Option(help: "A file with a root certificate to trust, DER or PEM. Repeat for several.")
    var rootCa: [String] = []
    @Option(help: "The app it has to be about.")
    var bundleId: String
    @Option(help: "Production, Sandbox, Xcode or LocalTesting; the last two carry no signature to check.")
    var environment: AppStoreEnvironment
    @Option(help: "The app's number in the App Store; needed for Production.")
    var appAppleId: Int64?
    @Option(help: "What it has to be.")
    var kind = PayloadKind.notification
    @Argument(help: "The file with the JWS; standard input without it.")
    var file: String?

    func validate() throws {
        guard BundleID(validating: self.bundleId) != nil else {
            throw ValidationError("--bundle-id is no bundle id.")
        }
        guard self.appAppleId != nil || self.environment != .production else {
            throw ValidationError("Production needs --app-apple-id.")
        }
        guard !self.rootCa.isEmpty || !AppStoreEnvironment.signed.contains(self.environment) else {
            throw ValidationError("\(self.environment.rawValue) needs --root-ca.")
        }
    }

    func run() async throws {
        let inspector = try self.inspector()
        let jws = try self.input()
        do {
            let payload = try await inspector.inspect(jws, as: self.kind, now: SystemClock().now)
            // JSON has control characters between its tokens alone, where each is as good as a space.
            Console.print(String(decoding: payload.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self))
        } catch {
            Console.print(
                JSONWriter.text { json in
                    json.member("error", error.class.rawValue)
                    json.member("detail", error.detail)
                })
            throw ExitCode.failure
        }
    }

    private func inspector() throws -> PayloadInspector {
        let roots = try self.rootCa.map { path in
            do {
                return try TrustedRoot(try Self.read(path))
            } catch let error as AppStoreConfigurationError {
                throw CommandFailure("\(path): \(error.message)")
            }
        }
        do {
            return try PayloadInspector(
                app: try AppIdentity(
                    bundleID: BundleID(rawValue: self.bundleId), appAppleID: self.appAppleId,
                    environments: [self.environment], roots: Set(roots)))
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Without the white space around it.
    private func input() throws -> [UInt8] {
        let bytes = try self.file.map(Self.read) ?? Array(FileHandle.standardInput.readDataToEndOfFile())
        return Array(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    private static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CommandFailure("\(path): \(FileProblem(error).sentence)")
        }
    }
}

extension PayloadKind: ExpressibleByArgument {}
