import AppStoreSimulator
import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct VerifyCommandTests {
    private struct Refusal: Decodable {
        let error: String
        let detail: String
    }

    private let folder: TemporaryDirectory
    private let root: String
    private let payload: String

    init() throws {
        self.folder = try TemporaryDirectory()
        let factory = try LifecycleFactory(seed: 3)
        self.root = try self.folder.write(factory.rootCertificate, to: "root.cer")
        let test = try factory.testNotification()
        self.payload = String(decoding: test.signedPayload, as: UTF8.self)
    }

    private func verify(
        _ payload: String, bundleID: String = "com.example.app", environment: String = "Production",
        app: String = "1234567890", root: String? = nil, kind: String = "notification"
    ) async throws -> PerennialProcess.Result {
        try await PerennialProcess.run(
            "verify", "--root-ca", root ?? self.root, "--bundle-id", bundleID, "--environment", environment,
            "--app-apple-id", app, "--kind", kind, input: payload + "\n")
    }

    @Test func acceptsAndPrintsWhatWasSigned() async throws {
        let result = try await self.verify(self.payload)

        #expect(result.status == 0)
        let segment = try #require(self.payload.split(separator: ".").dropFirst().first)
        #expect(Data(result.output.trimmingCharacters(in: .newlines).utf8) == Self.decoded(segment))
    }

    @Test func readsAFile() async throws {
        let file = try self.folder.write(self.payload, to: "payload.jws")
        let result = try await PerennialProcess.run(
            "verify", "--root-ca", self.root, "--bundle-id", "com.example.app", "--environment", "Production",
            "--app-apple-id", "1234567890", file)

        #expect(result.status == 0)
        #expect(result.output.contains(#""notificationType":"TEST""#))
    }

    @Test func refusesWithAppleClasses() async throws {
        let segments = self.payload.split(separator: ".")
        let other = try self.folder.write(try CertificateAuthority.make(seed: 99).root.der, to: "other.cer")
        let neighbour = try LifecycleFactory(seed: 3).testNotification(number: 1)
        let signature = try #require(
            String(decoding: neighbour.signedPayload, as: UTF8.self).split(separator: ".").last)

        try await self.expect("VERIFICATION_FAILURE", self.verify("\(segments[0]).\(segments[1]).\(signature)"))
        try await self.expect("VERIFICATION_FAILURE", self.verify(self.payload, root: other))
        try await self.expect("INVALID_JWT_FORMAT", self.verify("a.b.c"))
        try await self.expect("INVALID_JWT_FORMAT", self.verify(self.payload + ".d"))
        try await self.expect("INVALID_JWT_FORMAT", self.verify(""))
        try await self.expect("INVALID_APP_IDENTIFIER", self.verify(self.payload, bundleID: "com.example.other"))
        try await self.expect("INVALID_APP_IDENTIFIER", self.verify(self.payload, app: "1"))
        try await self.expect("INVALID_ENVIRONMENT", self.verify(self.payload, environment: "Sandbox"))
    }

    @Test func refusesAnotherKind() async throws {
        let result = try await self.verify(self.payload, kind: "transaction")

        #expect(result.status == 1)
        #expect(throws: Never.self) { try JSONDecoder().decode(Refusal.self, from: Data(result.output.utf8)) }
    }

    @Test func wantsARootAndTheAppsNumber() async throws {
        let noRoot = try await PerennialProcess.run(
            "verify", "--bundle-id", "com.example.app", "--environment", "Sandbox", input: self.payload)
        let noNumber = try await PerennialProcess.run(
            "verify", "--root-ca", self.root, "--bundle-id", "com.example.app", "--environment", "Production",
            input: self.payload)

        #expect(noRoot.status == 2)
        #expect(noNumber.status == 2)
    }

    private func expect(_ name: String, _ result: PerennialProcess.Result) throws {
        #expect(result.status == 1)
        let refusal = try JSONDecoder().decode(Refusal.self, from: Data(result.output.utf8))
        #expect(refusal.error == name)
        #expect(!refusal.detail.isEmpty)
    }

    private static func decoded(_ segment: Substring) -> Data? {
        let text = segment.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
