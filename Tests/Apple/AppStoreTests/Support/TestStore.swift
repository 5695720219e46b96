import AppStore
import AppStoreSimulator
import ByteCoding
import Subscriptions

/// One app, its own App Store, and a moment shortly after the payloads were signed.
struct TestStore: Sendable {
    /// Made once: certificates cost several curve operations.
    static let shared: Result<TestStore, any Error> = Result { try TestStore() }
    static let now = Moment(milliseconds: 1_700_000_060_000)

    let authority: CertificateAuthority
    let root: TrustedRoot
    let app: AppIdentity

    init(
        authority: CertificateAuthority? = nil, environments: Set<AppStoreEnvironment> = [.production]
    ) throws {
        self.authority = try authority ?? CertificateAuthority.make(seed: 1)
        self.root = try TrustedRoot(self.authority.root.der)
        self.app = try AppIdentity(
            bundleID: BundleID(rawValue: "com.example.app"), appAppleID: 1_234_567_890, environments: environments,
            roots: [self.root])
    }

    /// The same store, with the app in other environments.
    func serving(_ environments: Set<AppStoreEnvironment>) throws -> TestStore {
        try TestStore(authority: self.authority, environments: environments)
    }

    func sign(_ payload: Payload) throws -> [UInt8] { try self.authority.signer.sign(payload.bytes) }

    func quoted(_ payload: Payload) throws -> String {
        "\"\(String(decoding: try self.sign(payload), as: UTF8.self))\""
    }

    /// A notification whose `data` carries these, signed.
    func notification(
        _ type: String = "DID_RENEW", subtype: String? = nil, transaction: Payload? = .transaction,
        renewal: Payload? = .renewal, data: Payload = .data.with("status", "1")
    ) throws -> [UInt8] {
        try self.sign(
            .notification(
                type, subtype: subtype,
                data.with("signedTransactionInfo", transaction.map { try self.quoted($0) })
                    .with("signedRenewalInfo", renewal.map { try self.quoted($0) })))
    }

    func read(_ signedPayload: [UInt8], now: Moment = Self.now) async throws -> NotificationReading {
        let apps = try AppDirectory([self.app])
        return try await NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps).read(
            signedPayload, now: now)
    }

    func inspect(_ jws: [UInt8], as kind: PayloadKind = .transaction, now: Moment = Self.now) async throws -> [UInt8] {
        try await PayloadInspector(app: self.app).inspect(jws, as: kind, now: now)
    }

    /// The class with which `jws` is refused; nil when it is accepted.
    func refusal(
        of jws: [UInt8], as kind: PayloadKind = .transaction, now: Moment = Self.now
    ) async throws -> VerificationFailure.Class? {
        do {
            _ = try await self.inspect(jws, as: kind, now: now)
            return nil
        } catch let failure as VerificationFailure {
            return failure.class
        }
    }
}

extension ReadingFailure {
    /// The class of a refusal; nil of other failures.
    var `class`: VerificationFailure.Class? {
        if case .refused(let failure) = self { failure.class } else { nil }
    }
}

/// A compact JWS taken apart.
struct Segments {
    var header: String
    var payload: String
    var signature: String

    init(_ jws: [UInt8]) {
        let parts = String(decoding: jws, as: UTF8.self).split(separator: ".").map(String.init)
        (self.header, self.payload, self.signature) = (parts[0], parts[1], parts[2])
    }

    var jws: [UInt8] { Array("\(self.header).\(self.payload).\(self.signature)".utf8) }
    var signatureBytes: [UInt8] { Base64.url.decode(Array(self.signature.utf8)[...]) ?? [] }

    static func encode(_ bytes: [UInt8]) -> String { String(decoding: Base64.url.encode(bytes), as: UTF8.self) }
    static func encode(_ text: String) -> String { Self.encode(Array(text.utf8)) }
}
