import ByteCoding
import Subscriptions

/// A payload whose signature holds.
struct VerifiedPayload<Content: SignedPayload>: Sendable {
    private let jws: CompactJWS
    private let payload: DecodedPayload<Content>
    /// The root of the chain; nil in environments whose payloads are not signed.
    private let root: TrustedRoot?

    init(_ jws: CompactJWS, _ payload: DecodedPayload<Content>, root: TrustedRoot?) {
        self.jws = jws
        self.payload = payload
        self.root = root
    }

    /// As it was signed.
    var json: [UInt8] { self.payload.bytes }
    var contentDigest: PayloadDigest { self.payload.contentDigest }

    /// The JWS as evidence keeps it; nil unless its signature is one of 64 bytes, as in environments that do not sign.
    var original: DecodedJWS? { DecodedJWS(self.jws, payload: self.payload.bytes) }

    /// - Throws: a misfit when the payload is not what it should be.
    func content() throws(Rejection) -> Content {
        do throws(PayloadProblem) { return try self.payload.content.get() } catch { throw .misfit(error) }
    }

    /// Apps may trust different roots, and what one root vouches for is worth nothing to another's app.
    func checkRoot(of app: AppIdentity) throws(VerificationFailure) {
        guard let root = self.root, !app.roots.contains(root) else { return }
        throw VerificationFailure(.verificationFailure, "the chain ends in a root of another app")
    }
}
