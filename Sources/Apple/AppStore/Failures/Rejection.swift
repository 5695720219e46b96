package import Subscriptions

/// Why an authentic payload is set aside instead of being refused.
package enum QuarantineReason: String, Sendable, CaseIterable {
    case unknownApp, wrongEnvironment, undecodable, nestedInvalid, nestedMismatch, wrongKind
}

/// Why a reader gives up on a payload. What it means depends on who asks: a notification that is authentic but a misfit
/// goes to quarantine; from anybody else it is refused with the class that Apple's libraries give.
struct Rejection: Error {
    /// nil when the payload is forged or malformed.
    let quarantine: QuarantineReason?
    let failure: VerificationFailure

    static func refused(_ failure: VerificationFailure) -> Rejection {
        Rejection(quarantine: nil, failure: failure)
    }

    static func misfit(
        _ reason: QuarantineReason, _ class: VerificationFailure.Class, _ detail: String
    ) -> Rejection {
        Rejection(quarantine: reason, failure: VerificationFailure(`class`, detail))
    }

    static func misfit(_ problem: PayloadProblem) -> Rejection {
        .misfit(problem.reason, .invalidJWTFormat, problem.detail)
    }
}

/// Why nothing could be read.
package enum ReadingFailure: Error, Hashable, Sendable {
    /// Forged, malformed or not for us; or, when `isRetryable`, not to be decided now.
    case refused(VerificationFailure)
    /// Signed more than five minutes ahead of our clock: one of the two clocks is wrong. Nothing may be recorded.
    case clockSkew(signed: Moment)
    /// More verifications are waiting than the pool takes, or it is not running.
    case overloaded
}

extension FactBundle {
    /// How far ahead of our clock Apple's may be.
    private static let tolerableSkew = Milliseconds.minutes(5)

    /// - Parameter latest: as late as it may be now, by whichever clock.
    func checkSkew(latest: Moment) throws(ReadingFailure) {
        let newest = max(self.signedDate, self.facts.newestSignedDate ?? self.signedDate)
        guard newest <= latest + Self.tolerableSkew else { throw .clockSkew(signed: newest) }
    }
}
