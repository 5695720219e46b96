/// A rule that promises rest on, by the name under which a node goes without it.
enum Guard: String, CaseIterable, Sendable {
    case fence, lease, deduplication, retake, outcome, tokens, threads

    /// Whether this is what happens without it.
    func explains(_ violation: Violation) -> Bool {
        switch (self, violation) {
        case (.fence, .lateAppend), (.lease, .olderAnswer), (.deduplication, .repeated), (.retake, .refused),
            (.outcome, .missing), (.tokens, .olderAnswer), (.threads, .takenForDead):
            true
        default: false
        }
    }
}
