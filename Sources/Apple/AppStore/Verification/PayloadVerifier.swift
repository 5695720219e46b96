import ByteCoding
import Subscriptions
import Synchronization

/// Verifies compact JWS of the App Store as Apple's libraries do, step by step: form, chain, signature. Whom a payload
/// is about is for its reader to check. One instance serves the whole process; calls run in parallel.
package struct PayloadVerifier: Sendable {
    private enum Trust {
        case signed(ChainValidator)
        /// Xcode and LocalTesting: what is read was signed by nobody.
        case unsigned
    }

    private let trust: Trust
    private let revocation: RevocationChecker?
    private let cache: ChainCache
    /// nil where none are forged.
    private let unknownChains: UnknownChains?

    /// How many unknown chains are validated. Apple begins a new chain once in months; validating a forged one costs as much as a
    /// genuine payload.
    package static let allowance = Allowance(burst: 64, every: .milliseconds(50))

    /// - Parameters:
    ///   - apps: whose roots are trusted. A reader compares the root with the app's own afterwards.
    ///   - revocation: asks Apple whether certificates were revoked, and judges certificates at the present instead of
    ///     at the payload's own date; nil for neither.
    ///   - allowance: for chains that are unknown beside others that are known.
    package init(
        apps: AppDirectory, revocation: RevocationChecker? = nil, allowance: Allowance = PayloadVerifier.allowance
    ) {
        self.trust = apps.isUnsigned ? .unsigned : .signed(ChainValidator(roots: apps.roots))
        self.revocation = revocation
        self.cache = ChainCache()
        self.unknownChains = UnknownChains(allowance)
    }

    private init(sharing other: PayloadVerifier, _ unknownChains: UnknownChains?) {
        self.trust = other.trust
        self.revocation = other.revocation
        self.cache = other.cache
        self.unknownChains = unknownChains
    }

    /// For another way in: knows the same chains, and those that are unknown have an allowance of their own, so that a
    /// flood of forgeries on one way is none on the other.
    /// - Parameter allowance: nil for what Apple answers when it is asked, and for what it has signed around.
    package func with(_ allowance: Allowance?) -> PayloadVerifier {
        PayloadVerifier(sharing: self, allowance.map(UnknownChains.init))
    }

    /// Learns the chains that have signed before. Without it, the first payload with an older chain of Apple's would make the
    /// current chain unknown, which would then share its allowance with forgeries.
    /// - Parameter headers: of originals that the store keeps, the newest first. Each is validated as with its first payload;
    ///   one that leads to no configured root is left out.
    package func learn(_ headers: [[UInt8]]) async {
        guard case .signed(let validator) = self.trust else { return }
        for header in headers.reversed() {
            guard let chain = try? CertificateChain(try JWSHeader(header[...])),
                let leafKey = try? validator.checkWithoutCurves(chain),
                (try? validator.checkSignatures(of: chain)) != nil,
                let validated = try? await validator.validate(chain, leafKey: leafKey)
            else { continue }
            self.cache.insert(KnownHeader(header[...], chain: validated))
        }
    }

    /// Cheap: nothing is decoded.
    func standing(of text: [UInt8]) -> HeaderStanding {
        guard case .signed = self.trust, let jws = try? CompactJWS(verifying: text[...]), !self.cache.isEmpty else {
            return .known
        }
        return self.cache[jws] == nil ? .unknown : .known
    }

    /// - Throws: the class of the first step that fails, in Apple's order; but after a header that is known comes the
    ///   signature, so that what is forged is not read. A payload that is signed well and is JSON, but not what it
    ///   should be, does not throw.
    func verify<Content: SignedPayload>(
        _ text: ArraySlice<UInt8>, as kind: Content.Type, now: Moment
    ) async throws(VerificationFailure) -> VerifiedPayload<Content> {
        let jws = try CompactJWS(verifying: text)
        guard case .signed(let validator) = self.trust else {
            _ = try JWSHeader(jws.header)
            let payload = try DecodedPayload<Content>(jws.decodedPayload(), allowsFractions: true, now: now)
            return VerifiedPayload(jws, payload, root: nil)
        }
        let payload: DecodedPayload<Content>
        let chain: ValidatedChain
        if let known = self.cache[jws] {
            chain = known.chain
            try chain.checkSignature(of: jws, after: known.hash)
            payload = try DecodedPayload(jws.decodedPayload(), allowsFractions: false, now: now)
            try chain.checkValidity(at: self.effectiveDate(of: payload, now: now))
        } else {
            let header = try JWSHeader(jws.header)
            payload = try DecodedPayload(jws.decodedPayload(), allowsFractions: false, now: now)
            chain = try await self.check(
                jws, header: header, effectiveDate: self.effectiveDate(of: payload, now: now), validator: validator)
        }
        try await self.revocation?.check(chain, now: now)
        return VerifiedPayload(jws, payload, root: chain.root)
    }

    /// Where Apple is asked about the present, certificates are judged at the present too.
    private func effectiveDate<Content>(of payload: DecodedPayload<Content>, now: Moment) -> Moment {
        self.revocation == nil ? payload.effectiveDate : now
    }

    private func check(
        _ jws: CompactJWS, header: JWSHeader, effectiveDate: Moment, validator: ChainValidator
    ) async throws(VerificationFailure) -> ValidatedChain {
        let chain = try CertificateChain(header)
        let leafKey = try validator.checkWithoutCurves(chain)
        // What came with the same chain at the same time may have made it known.
        if let known = self.cache[jws] {
            try known.chain.checkValidity(at: effectiveDate)
            try known.chain.checkSignature(of: jws, after: known.hash)
            return known.chain
        }
        if let unknownChains, !self.cache.isEmpty, !unknownChains.take() { throw .tooManyUnknownChains }
        try validator.checkSignatures(of: chain)
        // Before the rest of the chain: anyone can copy Apple's public certificates, and a copy fails here.
        try leafKey.checkSignature(of: jws, after: CompactJWS.hash(ofHeader: jws.header))
        let known = KnownHeader(jws.header, chain: try await validator.validate(chain, leafKey: leafKey))
        try known.chain.checkValidity(at: effectiveDate)
        self.cache.insert(known)
        return known.chain
    }
}

/// How many unknown chains may cost work on curves.
private final class UnknownChains: Sendable {
    private let allowance: Mutex<Allowance>

    init(_ allowance: Allowance) { self.allowance = Mutex(allowance) }

    func take() -> Bool { self.allowance.withLock { $0.take(at: .now) } }
}
