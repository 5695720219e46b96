import StrictJSON

/// Why well-formed JSON is not the payload it should be.
struct PayloadProblem: Error {
    let reason: QuarantineReason
    let detail: String

    init(_ reason: QuarantineReason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    init(_ error: JSONError) { self.init(.undecodable, "the payload holds \(error)") }

    static func missing(_ field: StaticString) -> PayloadProblem {
        PayloadProblem(.undecodable, "the payload has no \(field)")
    }
}
