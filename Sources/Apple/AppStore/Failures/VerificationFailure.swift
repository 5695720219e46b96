/// Why a signed payload was refused, in Apple's words (the classes of Apple's server libraries).
package struct VerificationFailure: Error, Hashable, Sendable {
    package enum Class: String, Sendable, CaseIterable {
        case invalidJWTFormat = "INVALID_JWT_FORMAT"
        case invalidCertificate = "INVALID_CERTIFICATE"
        case invalidChainLength = "INVALID_CHAIN_LENGTH"
        case verificationFailure = "VERIFICATION_FAILURE"
        /// The network failed, not the payload: ask again later. The only class to answer with a 5xx.
        case retryableVerificationFailure = "RETRYABLE_VERIFICATION_FAILURE"
        case invalidAppIdentifier = "INVALID_APP_IDENTIFIER"
        case invalidEnvironment = "INVALID_ENVIRONMENT"
    }

    package let `class`: Class
    /// A sentence for people. Never holds payload content.
    package let detail: String

    package init(_ class: Class, _ detail: String) {
        self.class = `class`
        self.detail = detail
    }

    package var isRetryable: Bool { self.class == .retryableVerificationFailure }

    static let tooManyUnknownChains = VerificationFailure(
        .retryableVerificationFailure, "too many payloads with unknown certificates at once")
}
