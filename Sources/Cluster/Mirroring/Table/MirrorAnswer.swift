package import Entitlements
package import EventLog
package import Subscriptions

/// The answer to one question. Plain words: it is copied without counting references, and names are looked up by
/// `EntitlementMirror` when they are asked for.
package struct MirrorAnswer: Hashable, Sendable {
    package enum Outcome: UInt8, Sendable {
        case found
        case unknown
        /// The id has streams in several apps of the environment, and the question names none.
        case ambiguous
    }

    /// Outcome (2 bits), entitled, stale, has a phase, has an end (one each), and from bit 32 on the app. Four words are
    /// handed over in registers.
    private let bits: UInt64
    private let versionNumber: Int64
    private let standing: UInt64
    private let end: Int64

    private static let entitledBit: UInt64 = 1 << 2
    private static let staleBit: UInt64 = 1 << 3
    private static let phaseBit: UInt64 = 1 << 4
    private static let endBit: UInt64 = 1 << 5

    init(_ outcome: Outcome, isStale: Bool) {
        self.bits = UInt64(outcome.rawValue) | (isStale ? Self.staleBit : 0)
        (self.versionNumber, self.standing, self.end) = (0, 0, 0)
    }

    /// Of a stream and the phase that holds.
    @inline(__always)
    init(
        isStale: Bool, _ name: NameWord, _ head: HeadWord, _ phase: MirrorEntry.Value.HoldingPhase?,
        _ names: MirrorNames
    ) {
        var bits = UInt64(Outcome.found.rawValue) | UInt64(name.app) << 32 | (isStale ? Self.staleBit : 0)
        if let phase {
            bits |= Self.phaseBit | (phase.entitled ? Self.entitledBit : 0) | (phase.end != nil ? Self.endBit : 0)
        }
        self.bits = bits
        self.versionNumber = head.version
        self.standing = phase.map { names.standing($0.standing).bits } ?? 0
        self.end = phase?.end ?? 0
    }

    package var outcome: Outcome {
        switch self.bits & 3 {
        case 0: .found
        case 1: .unknown
        default: .ambiguous
        }
    }
    package var entitled: Bool { self.bits & Self.entitledBit != 0 }
    /// The mirror has not been current for longer than the bound: the owner may know more.
    package var isStale: Bool { self.bits & Self.staleBit != 0 }
    private var hasPhase: Bool { self.bits & Self.phaseBit != 0 }
    var app: UInt32 { UInt32(truncatingIfNeeded: self.bits >> 32) }

    /// nil when nothing is known.
    package var state: LifecycleState? { self.hasPhase ? Standing(bits: self.standing).state : nil }
    package var code: CohortCode { self.hasPhase ? Standing(bits: self.standing).code : .nothing }
    /// The answer may be used until then, never longer; nil when not entitled, and for a purchase without end.
    package var validUntil: Moment? { self.bits & Self.endBit != 0 ? Moment(milliseconds: self.end) : nil }
    /// Of the stream; 0 when there is none.
    package var version: StreamVersion { StreamVersion(rawValue: self.versionNumber) }

    var product: Int? { self.hasPhase ? Standing(bits: self.standing).product : nil }
}

extension EntitlementMirror {
    /// - Parameter answer: of this mirror.
    package func productID(of answer: MirrorAnswer) -> String? { answer.product.map(self.names.product) }

    /// The app of the stream that was found.
    /// - Parameter answer: of this mirror.
    package func bundleID(of answer: MirrorAnswer) -> BundleID? {
        answer.outcome == .found ? self.names.bundle(ofApp: answer.app) : nil
    }

    /// As `EntitlementRow.answer(at:)` gives it.
    /// - Parameter answer: of this mirror.
    package func checkAnswer(of answer: MirrorAnswer) -> CheckAnswer {
        CheckAnswer(
            entitled: answer.entitled, state: answer.state, code: answer.code, validUntil: answer.validUntil,
            productID: self.productID(of: answer))
    }
}
