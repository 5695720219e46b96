package import Entitlements
package import EventSourcing
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

    package private(set) var outcome: Outcome
    package private(set) var entitled = false
    /// The mirror has not been current for longer than the bound: the owner may know more.
    package private(set) var isStale: Bool
    private var hasPhase = false
    private var hasEnd = false
    let app: UInt32
    private let versionNumber: Int64
    private var standing: UInt64 = 0
    private var end: Int64 = 0

    init(_ outcome: Outcome, isStale: Bool, app: UInt32 = 0, version: Int64 = 0) {
        self.outcome = outcome
        self.isStale = isStale
        self.app = app
        self.versionNumber = version
    }

    /// Of a stream and the phase that holds.
    @inline(__always)
    init(
        isStale: Bool, _ name: NameWord, _ head: HeadWord, _ phase: MirrorEntry.Value.HoldingPhase?,
        _ names: MirrorNames
    ) {
        self.init(.found, isStale: isStale, app: name.app, version: head.version)
        guard let phase else { return }
        self.hasPhase = true
        self.standing = names.standing(phase.standing).bits
        self.entitled = phase.entitled
        self.hasEnd = phase.end != nil
        self.end = phase.end ?? 0
    }

    mutating func setStale() { self.isStale = true }

    /// nil when nothing is known.
    package var state: LifecycleState? { self.hasPhase ? Standing(bits: self.standing).state : nil }
    package var code: CohortCode { self.hasPhase ? Standing(bits: self.standing).code : .nothing }
    /// The answer may be used until then, never longer; nil when not entitled, and for a purchase without end.
    package var validUntil: Moment? { self.hasEnd ? Moment(milliseconds: self.end) : nil }
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
