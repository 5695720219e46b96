import Subscriptions
import SwiftASN1
import Synchronization
import Waiting
import X509

/// Asks Apple's OCSP responders whether leaf and intermediate were revoked, and fails unless they say
/// no. An answer holds for 15 minutes, for exactly that chain.
package final class RevocationChecker: Sendable {
    static let lifetime = Milliseconds.minutes(15)
    /// Beyond this many answers, those that have expired are dropped.
    static let purgeThreshold = 32

    private let transport: any OCSPTransport
    /// Until when a chain needs no question.
    private let good = Mutex<[PayloadDigest: Moment]>([:])
    /// When answers expire under load, the few that ask first do so for all.
    private let questions = Gate(limit: 4)
    /// How often a question ended without an answer that can be used.
    private let unanswered = Atomic(0)

    package init(transport: any OCSPTransport) { self.transport = transport }

    /// How many chains have an answer in the cache.
    package var rememberedAnswers: Int { self.good.withLock { $0.count } }

    /// How many checks wait until another has its answer.
    package var waiting: Int { self.questions.waiting }

    /// - Throws: VERIFICATION_FAILURE when revoked, or when the answer cannot be trusted;
    ///   RETRYABLE_VERIFICATION_FAILURE when there is none. That befalls whoever waits meanwhile as well: a responder
    ///   that is silent holds nobody up for longer than one check.
    func check(_ chain: ValidatedChain, now: Moment) async throws(VerificationFailure) {
        guard !self.isKnownGood(chain, now: now) else { return }
        let unanswered = self.unanswered.load(ordering: .relaxed)
        guard await self.questions.enter() else {
            throw VerificationFailure(.retryableVerificationFailure, "too many chains wait for an OCSP answer")
        }
        defer { self.questions.leave() }
        guard !self.isKnownGood(chain, now: now) else { return }
        guard self.unanswered.load(ordering: .relaxed) == unanswered else {
            throw VerificationFailure(.retryableVerificationFailure, "the OCSP responder gave others no answer")
        }
        do throws(VerificationFailure) {
            try await self.ask(about: chain.leaf, issuer: chain.intermediate, now: now)
            try await self.ask(about: chain.intermediate, issuer: chain.root.certificate, now: now)
        } catch {
            if error.isRetryable { self.unanswered.add(1, ordering: .relaxed) }
            throw error
        }
        self.good.withLock { good in
            good[chain.fingerprint] = now + Self.lifetime
            if good.count > Self.purgeThreshold { good = good.filter { now < $0.value } }
        }
    }

    private func isKnownGood(_ chain: ValidatedChain, now: Moment) -> Bool {
        self.good.withLock { good in good[chain.fingerprint].map { now < $0 } ?? false }
    }

    private func ask(about certificate: Certificate, issuer: Certificate, now: Moment) async throws(VerificationFailure)
    {
        guard let url = certificate.ocspURL else {
            throw VerificationFailure(.verificationFailure, "a certificate names no OCSP responder")
        }
        let question: OCSPCertificateID
        do { question = try OCSPCertificateID(certificate, issuer: issuer) } catch {
            throw VerificationFailure(.verificationFailure, "a certificate cannot be asked about")
        }
        let answer: OCSPAnswer
        do {
            answer = try OCSPAnswer(derEncoded: try await self.transport.post(try question.request(), to: url))
        } catch {
            throw VerificationFailure(.retryableVerificationFailure, "no answer from the OCSP responder")
        }
        guard answer.isSigned(by: issuer, now: now) else {
            throw VerificationFailure(.verificationFailure, "the OCSP answer is not signed on behalf of the issuer")
        }
        guard let status = answer.statuses.first(where: { $0.certificate == question }) else {
            throw VerificationFailure(.verificationFailure, "the OCSP answer is about other certificates")
        }
        guard status.thisUpdate <= now, let nextUpdate = status.nextUpdate, now <= nextUpdate else {
            throw VerificationFailure(.verificationFailure, "the OCSP answer is not of this time")
        }
        guard status.isGood else {
            throw VerificationFailure(.verificationFailure, "a certificate is revoked or unknown to its issuer")
        }
    }
}

extension Certificate {
    fileprivate var ocspURL: String? {
        let access = try? self.extensions.authorityInformationAccess
        for description in access ?? .init() where description.method == .ocspServer {
            if case .uniformResourceIdentifier(let url) = description.location { return url }
        }
        return nil
    }
}
